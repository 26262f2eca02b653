import ControllerKit
import Foundation

extension LineSession {
    /// Refuses a form before anything is done: what shows nothing has no plain form.
    func check(_ form: LineForm?, of verb: VerbSignature) throws(Failure) {
        guard form == .plain, verb.answer == .notice else { return }
        throw Failure(.usage, "“\(verb.name)” has no output for --plain. Use --json.")
    }

    /// Writes a state in a form for programs. No pager gets it.
    func write(_ state: any ScreenState, of screen: String, as form: LineForm) async throws {
        switch form {
        case .json:
            let text = try JSONEncoder.stateText(of: state)
            try await terminal.write(text + "\n", to: .data)
        case .plain:
            let answer = try polish[screen]?.plain(of: state) ?? LinePolish.plainAnswer(of: state)
            let text = answer.lines.map { $0 + "\n" }.joined().shown(on: terminal.page)
            if !text.isEmpty { try await terminal.write(text, to: .data) }
            if let remark = answer.remark { try await terminal.writeMessage(remark) }
        }
    }
}

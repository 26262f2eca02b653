import ControllerKit
import Foundation
import Terminal

extension LineSession {
    /// Refuses a form before anything is done: what shows nothing has no plain form.
    func check(_ form: LineForm?, of verb: VerbSignature) throws(Failure) {
        guard form == .plain, verb.answer == .notice else { return }
        throw Failure(.usage, "“\(verb.name)” has no output for --plain. Use --json.")
    }

    /// Writes a state in a form for programs. No pager gets it.
    func write<P: AnyPresentation>(_ presentation: P, as form: LineForm) async throws {
        let state = presentation.state
        switch form {
        case .json:
            let text = try JSONEncoder.stateText(of: state)
            try await terminal.write(text + "\n", to: .data)
        case .plain:
            let answer = try renderer(of: P.PresentedScreen.self)?.plain(state) ?? PlainLines.answer(of: state)
            let text = answer.lines.map { $0 + "\n" }.joined().shown(on: terminal.page)
            if !text.isEmpty { try await terminal.write(text, to: .data) }
            if let remark = answer.remark { try await terminal.writeMessage(remark) }
        }
    }
}

import ControllerKit
import Foundation
import Terminal

/// The output of a session: states laid out for the terminal or in a format for programs.
@MainActor
struct LineOutput {
    let coordinator: Coordinator
    let terminal: any LineTerminal

    // MARK: Layout

    /// Returns the lines of a screen, then those of the screens that it contains, each below its name.
    func lines<P: AnyPresentation>(of presentation: P) throws -> [String] {
        let own = try lines(of: presentation.state, on: P.PresentedScreen.self)
        return try coordinator.children(of: presentation).reduce(into: own) { result, child in
            let name = Outline.label(of: child.screenName).sanitizedLine
            result += ["", terminal.page.text(name, .strong)] + (try lines(of: child))
        }
    }

    /// Returns the lines of a screen's state from its renderer, or from its outline if it has none.
    func lines<S: Screen>(of state: S.State, on screen: S.Type) throws -> [String] {
        let page = terminal.page
        return try renderer(of: screen)?.lines(state, page) ?? PlainLines.lines(of: state, on: page)
    }

    /// Returns the line renderer of a screen; nil: its outline is shown.
    func renderer<S: Screen>(of screen: S.Type) -> LineRenderer<S>? { coordinator.catalog.renderer() }

    // MARK: Writing

    /// Writes a state in a format for programs, never in a pager.
    ///
    /// - Parameter columns: The columns of the plain format; nil: those that it always has.
    func write<P: AnyPresentation>(
        _ presentation: P, as format: OutputFormat, columns: [String]? = nil
    ) async throws {
        let state = presentation.state
        switch format {
        case .json:
            let text = try JSONEncoder.stateText(of: state)
            try await terminal.write(text + "\n", to: .data)
        case .plain:
            let answer = try plainAnswer(of: state, on: P.PresentedScreen.self, columns)
            let text = answer.lines.map { $0 + "\n" }.joined().shown(on: terminal.page)
            if !text.isEmpty { try await terminal.write(text, to: .data) }
            if let note = answer.note { try await terminal.writeMessage(note) }
        }
    }

    private func plainAnswer<S: Screen>(
        of state: S.State, on screen: S.Type, _ columns: [String]?
    ) throws -> PlainAnswer {
        let renderer = renderer(of: screen)
        guard let columns else { return try renderer?.plain(state) ?? PlainLines.answer(of: state) }
        guard let table = renderer?.table(state) else {
            throw Failure(.usage, "This command has no named columns. Leave out --columns.")
        }
        return try table.selecting(columns)
    }

    func write(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        let text = lines.joined(separator: "\n") + "\n"
        if isLongerThanScreen(text), try await browse(text) { return }
        try await terminal.write(text, to: .data)
    }

    /// Returns whether a person would see only the end of a text. (The prompt needs a row, too.)
    private func isLongerThanScreen(_ text: String) -> Bool {
        guard terminal.isInteractive, let rows = terminal.page.rows else { return false }
        return text.count(where: \.isNewline) >= rows
    }

    /// Shows a text in the pager. Returns false, after a message, if the pager can't be run.
    private func browse(_ text: String) async throws -> Bool {
        do {
            try await terminal.browse(text)
            return true
        } catch {
            try await terminal.writeMessage(Failure(error).message)
            return false
        }
    }
}

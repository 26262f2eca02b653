import Foundation
import Records
import SafeText
import Terminal
import WebPageView

/// A label and its text, the same in all views.
struct Fact: Equatable {
    let label: String
    let text: String
    let severity: Severity

    init(_ label: String, _ text: String, _ severity: Severity = .plain) {
        (self.label, self.text, self.severity) = (label, text, severity)
    }
}

/// How serious a fact is. The text says so, too, for users who don't see colours.
enum Severity {
    case plain, faint, good, warning, bad

    /// The emphasis in lines.
    var emphasis: Emphasis {
        switch self {
        case .plain: .none
        case .faint: .faint
        case .good: .good
        case .warning: .warning
        case .bad: .bad
        }
    }

    /// The kind on a page.
    var kind: PageFact.Kind {
        switch self {
        case .plain: .plain
        case .faint: .faint
        case .good: .good
        case .warning: .warning
        case .bad: .bad
        }
    }
}

/// The wording of a view where views differ: times, and the next step, which is a command in lines and a form on a
/// page.
struct Wording: Sendable {
    /// Formats a time.
    let moment: @Sendable (Date) -> String
    private let areCommandsTyped: Bool

    /// Returns the next step: a command to type, or its name on the page.
    func way(typed: String, page: String) -> String { areCommandsTyped ? typed : page }

    /// The wording of lines.
    static let lines = Wording(moment: { LocalTime.short($0) }, areCommandsTyped: true)

    /// The wording of a page.
    static func page(_ clock: PageClock) -> Wording { Wording(moment: { clock.near($0) }, areCommandsTyped: false) }
}

extension PageFact {
    /// Creates a fact for the template `facts`.
    init(_ fact: Fact) { self.init(fact.label, fact.text, kind: fact.severity.kind) }
}

// MARK: - Lines

extension Fact {
    private static let gap = 2

    /// Returns the facts in two columns. Texts are never cut; they are wrapped if the page has a width.
    static func lines(_ facts: [Fact], on page: LinePage) -> [String] {
        let facts = facts.filter { !$0.label.isEmpty || !$0.text.isEmpty }
        let indent = (facts.map(\.label.displayWidth).max() ?? 0) + gap
        return facts.flatMap { $0.lines(indent, page) }
    }

    /// Returns the label with the text in the same line, or with the text below if a word of it doesn't fit.
    private func lines(_ indent: Int, _ page: LinePage) -> [String] {
        // Against escape sequences in a record, which could control the terminal.
        let (name, text) = (label.sanitizedLine, text.sanitizedLine)
        let label = page.text(name, .faint)
        if text.isEmpty { return [label] }
        // Without a width, the output goes to a program, which needs each text in one line.
        let room = page.columns.map { $0 - indent }
        let sameLine = room.map { text.wrapped(to: $0) } ?? [text]
        if let room, let columns = page.columns, sameLine.contains(where: { $0.displayWidth > room }) {
            let below = text.wrapped(to: columns - Self.gap)
            return [label] + below.map { String(repeating: " ", count: Self.gap) + page.text($0, severity.emphasis) }
        }
        let padding = String(repeating: " ", count: max(indent - name.displayWidth, 0))
        return sameLine.enumerated().map { index, line in
            (index == 0 ? label + padding : String(repeating: " ", count: indent))
                + page.text(line, severity.emphasis)
        }
    }
}

extension String {
    /// The lines of a text, sanitized. The line feed at the end isn't followed by another line.
    var linesToShow: [String] {
        let text = hasSuffix("\n") ? String(dropLast()) : self
        return text.sanitized.split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
    }

    /// The text with a small first letter, unless it begins with an abbreviation.
    var lowercasedFirst: String {
        dropFirst().first?.isUppercase == true ? self : prefix(1).lowercased() + dropFirst()
    }
}

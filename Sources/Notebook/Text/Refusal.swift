internal import Interchange

/// Why a text was not accepted, as comments at its top. Pure.
struct Refusal {
    private static let mark = "# ! "
    private static let hint = "Fix it and save, or save it unchanged to cancel."

    /// The message for the user.
    let message: String
    /// The text with that on top, in place of what was there before.
    let text: String

    /// - Parameters:
    ///   - typed: what the person typed.
    ///   - reasons: what is wrong with it, each a sentence.
    init(_ typed: String, reasons: [String]) {
        message = reasons.joined(separator: " ")
        let comments = (reasons + [Self.hint]).map { Self.mark + $0.replacing("\n", with: " ") }
        let lines = Self.cleared(typed)
        let head = Self.isFence(lines.first) ? 1 : 0
        let end = lines.first?.utf8.last == UInt8(ascii: "\r") ? "\r" : ""
        text = (lines.prefix(head) + comments.map { $0 + end } + lines.dropFirst(head)).joined(separator: "\n")
    }

    /// A text that was typed without what was on top of it.
    static func removed(from typed: String) -> String { cleared(typed).joined(separator: "\n") }

    private static func cleared(_ typed: String) -> [String] {
        let lines = typed.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String($0) ?? ""
        }
        let head = isFence(lines.first) ? 1 : 0
        return Array(lines.prefix(head) + lines.dropFirst(head).drop { $0.hasPrefix(mark) })
    }

    private static func isFence(_ line: String?) -> Bool {
        line.map { $0.hasSuffix("---") || $0.hasSuffix("---\r") } ?? false
    }
}

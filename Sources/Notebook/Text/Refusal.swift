internal import Interchange

/// A text that was not accepted, with the reasons as comments at its top. Pure.
struct Refusal {
    private static let mark = "# ! "
    private static let hint = "Fix it and save, or save it unchanged to cancel."

    /// The message for the user.
    let message: String
    /// The text with these comments, in place of those of an earlier refusal.
    let text: String

    /// Creates the refusal of a text.
    ///
    /// - Parameters:
    ///   - typed: The text as typed.
    ///   - reasons: The errors in it, each a sentence.
    init(_ typed: String, reasons: [String]) {
        message = reasons.joined(separator: " ")
        // A reason may quote typed text, in which a line feed would end the comment.
        let comments = (reasons + [Self.hint]).map { Self.mark + $0.replacing("\n", with: " ") }
        let lines = Self.cleared(typed)
        let head = Self.isFence(lines.first) ? 1 : 0
        let end = lines.first?.utf8.last == UInt8(ascii: "\r") ? "\r" : ""
        text = (lines.prefix(head) + comments.map { $0 + end } + lines.dropFirst(head)).joined(separator: "\n")
    }

    /// Returns a typed text without the comments of an earlier refusal.
    static func removed(from typed: String) -> String { cleared(typed).joined(separator: "\n") }

    private static func cleared(_ typed: String) -> [String] {
        // By bytes: in a Swift string, CR LF is one character, which isn't equal to a line feed.
        let lines = typed.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String($0) ?? ""
        }
        let head = isFence(lines.first) ? 1 : 0
        return Array(lines.prefix(head) + lines.dropFirst(head).drop { $0.hasPrefix(mark) })
    }

    private static func isFence(_ line: String?) -> Bool {
        // `hasSuffix`: some editors put a byte order mark at the beginning.
        line.map { $0.hasSuffix("---") || $0.hasSuffix("---\r") } ?? false
    }
}

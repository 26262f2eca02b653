/// A link to a record in a text: `[[Garden plan]]`. The title is in one line and contains no bracket.
public struct TextLink: Sendable, Equatable {
    /// The title of the record, or the beginning of its id, without spaces at its ends.
    public let title: String
    /// The link with its brackets.
    public let range: Range<String.Index>

    /// The characters before a link.
    public static let opening = "[["
    /// The characters after a link.
    public static let closing = "]]"
    /// The maximum length of a title in a link, in bytes of UTF-8.
    public static let maximumBytes = FieldLimits.titleBytes

    /// Returns the links in a text, in their order. The time is linear in the length of the text.
    public static func all(in text: String) -> [TextLink] {
        var links: [TextLink] = []
        let bytes = text.utf8
        var start: String.Index?
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let next = bytes.index(after: index)
            let isDouble = next < bytes.endIndex && bytes[next] == bytes[index]
            switch bytes[index] {
            case UInt8(ascii: "[") where isDouble:
                start = index
                index = next
            case UInt8(ascii: "]") where isDouble:
                let end = bytes.index(after: next)
                if let from = start, let link = TextLink(text, from..<end) { links.append(link) }
                start = nil
                index = next
            case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): start = nil
            default: break
            }
            index = bytes.index(after: index)
        }
        return links
    }

    private init?(_ text: String, _ range: Range<String.Index>) {
        let bytes = text.utf8[range].dropFirst(2).dropLast(2)
        guard bytes.count <= Self.maximumBytes, let inside = String(bytes) else { return nil }
        let title = inside.trimmingSpaces
        if title.isEmpty { return nil }
        (self.title, self.range) = (title, range)
    }
}

extension String {
    /// The text without spaces at its ends.
    fileprivate var trimmingSpaces: String {
        let start = drop { $0 == " " || $0 == "\t" }
        let length = start.reversed().drop { $0 == " " || $0 == "\t" }.count
        return String(start.prefix(length))
    }
}

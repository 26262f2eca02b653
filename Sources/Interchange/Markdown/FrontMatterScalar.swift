internal import Records

/// Names and values in a line of front matter.
enum FrontMatterScalar {
    /// What has a meaning at the beginning of a value in YAML (YAML 1.2 section 5.3).
    private static let indicators = Set("-?:,[]{}#&*!|>'\"%@`")
    /// What YAML parsers read as something other than a text.
    private static let words: Set = [
        "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", ".inf", "-.inf",
    ]

    // MARK: Writing

    static func name(_ name: String) -> String { isName(name) ? name : JSONValue.string(name).text }

    static func text(of value: FrontMatter.Value) -> String {
        switch value {
        case .plain(let text): text
        case .json(.string(let text)): isPlain(text) ? text : JSONValue.string(text).text
        case .json(let value): value.text
        }
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, first.isASCII, first.properties.isAlphabetic else { return false }
        return text.unicodeScalars.allSatisfy {
            $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || "-_.".unicodeScalars.contains($0))
        }
    }

    /// Whether a text needs no quotes.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            !indicators.contains(Character(first)), !first.properties.isWhitespace, !last.properties.isWhitespace,
            last != ":", first != "~", !("0"..."9").contains(first), first != ".", first != "+"
        else { return isMoment(text) }
        return !words.contains(text.lowercased()) && !text.contains(": ") && !text.contains(" #")
            && !text.unicodeScalars.contains {
                $0.value < 0x20 || (0x7F...0xA0).contains($0.value)
                    || ["\u{2028}", "\u{2029}", "\u{FEFF}"].contains($0)
            }
    }

    private static func isMoment(_ text: String) -> Bool {
        Timestamp(text) != nil && !text.unicodeScalars.contains { $0.properties.isWhitespace }
    }

    // MARK: Reading

    /// A line's name and the text after its colon; nil if it is no `name: value`.
    static func member(_ line: String) -> (name: String, text: String)? {
        guard let colon = colon(of: line) else { return nil }
        let name = trimmed(line[..<colon])
        let rest = line[line.index(after: colon)...]
        guard rest.isEmpty || rest.first?.isWhitespace == true, line.first?.isWhitespace == false else { return nil }
        if name.hasPrefix("\"") {
            guard let name = (try? JSONValue(parsing: name))?.string else { return nil }
            return (name, trimmed(rest))
        }
        return name.isEmpty ? nil : (name, trimmed(rest))
    }

    /// The colon after a name, which may be in quotes.
    private static func colon(of line: String) -> String.Index? {
        guard line.hasPrefix("\"") else { return line.firstIndex(of: ":") }
        var isEscaped = false
        var index = line.index(after: line.startIndex)
        while index < line.endIndex {
            if !isEscaped, line[index] == "\"" { return line[index...].firstIndex(of: ":") }
            isEscaped = !isEscaped && line[index] == "\\"
            index = line.index(after: index)
        }
        return nil
    }

    /// A value in whatever form; nil for YAML beyond what is read here.
    static func read(_ text: String) -> FrontMatter.Value? {
        switch text.first {
        case "\"", "{": return (try? JSONValue(parsing: text)).map { .json($0) }
        case "'": return singleQuoted(text).map { .json(.string($0)) }
        case "[": return list(text).map { .json($0) }
        case "|", ">", "&", "*", "!", "%", "@", "`": return nil
        default: return .plain(text)
        }
    }

    /// A value that nothing more is known about: a text, unless it is JSON.
    static func value(of text: String) -> JSONValue? {
        switch read(trimmed(text)) {
        case .plain(let text): (try? JSONValue(parsing: text)) ?? .string(text)
        case .json(let value): value
        case nil: nil
        }
    }

    private static func singleQuoted(_ text: String) -> String? {
        guard text.count >= 2, text.hasSuffix("'") else { return nil }
        let inner = String(text.dropFirst().dropLast())
        guard !inner.replacing("''", with: "").contains("'") else { return nil }
        return inner.replacing("''", with: "'")
    }

    /// `[a, "b c"]`: JSON, or plain words between commas.
    private static func list(_ text: String) -> JSONValue? {
        if let value = try? JSONValue(parsing: text) { return value }
        guard text.hasSuffix("]") else { return nil }
        let inner = text.dropFirst().dropLast()
        var elements: [JSONValue] = []
        for part in inner.split(separator: ",") {
            guard let element = value(of: String(part)) else { return nil }
            elements.append(element)
        }
        return .array(elements)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let start = text.drop { $0 == " " || $0 == "\t" }
        return String(start.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
    }
}

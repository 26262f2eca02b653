internal import Records

/// Names and values in a line of front matter.
enum FrontMatterScalar {
    /// The characters with a meaning at the beginning of a value in YAML (YAML 1.2 section 5.3).
    private static let indicators = Set("-?:,[]{}#&*!|>'\"%@`")
    /// The words that YAML parsers read as something other than a text, those of YAML 1.1 included.
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

    /// Returns whether a text needs no quotes.
    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
            !indicators.contains(Character(first)), !first.properties.isWhitespace, !last.properties.isWhitespace,
            // `~` is null in YAML; a digit, `.` or `+` may begin a number.
            last != ":", first != "~", !("0"..."9").contains(first), first != ".", first != "+"
        else { return isMoment(text) }
        // ": " and " #" begin a value and a comment; control characters and line separators aren't allowed in a plain
        // text.
        return !words.contains(text.lowercased()) && !text.contains(": ") && !text.contains(" #")
            && !text.unicodeScalars.contains {
                $0.value < 0x20 || (0x7F...0xA0).contains($0.value)
                    || ["\u{2028}", "\u{2029}", "\u{FEFF}"].contains($0)
            }
    }

    private static func isMoment(_ text: String) -> Bool {
        DateValue(text) != nil && !text.unicodeScalars.contains { $0.properties.isWhitespace }
    }

    // MARK: Reading

    /// Returns a line's name and the text after its colon; nil if it isn't a `name: value`.
    static func member(_ line: String) -> (name: String, text: String)? {
        guard let colon = colon(of: line) else { return nil }
        let name = trimmed(line[..<colon])
        let rest = line[line.index(after: colon)...]
        guard rest.isEmpty || rest.first?.isWhitespace == true, line.first?.isWhitespace == false else { return nil }
        if name.hasPrefix("\"") {
            // `try?`: the caller reports the line.
            guard let name = (try? JSONValue(parsing: name))?.string else { return nil }
            return (name, trimmed(rest))
        }
        return name.isEmpty ? nil : (name, trimmed(rest))
    }

    /// Returns the colon after a name, which may be quoted.
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

    /// Returns a value in one of the accepted forms; nil for other YAML.
    static func read(_ text: String) -> FrontMatter.Value? {
        switch text.first {
        // `try?`: what begins like JSON and isn't is YAML of another form.
        case "\"", "{": return (try? JSONValue(parsing: text)).map { .json($0) }
        case "'": return singleQuoted(text).map { .json(.string($0)) }
        case "[": return list(text).map { .json($0) }
        // Block texts, anchors, aliases, tags and reserved characters of YAML: refused, since they aren't the texts
        // that they look like.
        case "|", ">", "&", "*", "!", "%", "@", "`": return nil
        default: return .plain(text)
        }
    }

    /// Returns a value without a declared kind: a text, unless it is JSON; nil if it can't be read.
    static func value(of text: String) -> JSONValue? {
        switch read(trimmed(text)) {
        // `try?`: most texts aren't JSON.
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

    /// Parses `[a, "b c"]`: JSON, or plain words separated by commas.
    private static func list(_ text: String) -> JSONValue? {
        // `try?`: a list of plain words isn't JSON.
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

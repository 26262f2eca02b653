/// A scan of a document before it is parsed. It finds what TOMLKit doesn't return: the lines of keys, and the errors at
/// which its parser stops the program instead of throwing.
///
/// TOMLKit 0.6.0 contains toml++ 3.4.0, which SwiftPM compiles with `assert`, even for a release (it doesn't define
/// `NDEBUG`). At these errors, an assertion of `toml::impl::parser` fails before the error is thrown:
///
/// - `}` or a line separator of Unicode where an element of an array is expected (`parse_value`): `a = [1, }`
/// - no name after the bracket of a table header (`parse_key`): `[=`
/// - a single digit after a date and a space (`scan` in `parse_value`): `a = 2026-01-01 1`
/// - no digit after the `T` of a time with a colon (`parse_time`): `a = 2026-01-01T:00`
/// - a date with so many underscores that the parser can't go back to its beginning (`step_back`)
///
/// Two other things are refused: a key of more names than allowed, since tables are freed recursively, which exhausts
/// the stack at many thousand names; and NUL, also as an escape, at which the document or a text in it would end, since
/// both are passed as C strings.
///
/// The scan checks only what this requires. It ends at any other error, which the parser then reports.
struct TOMLScan {
    private enum Bracket { case array, table }

    /// What comes next: a key or the header of a table, a value, or the end of a value.
    private enum Expected { case key, value, end }

    private let text: [Unicode.Scalar]
    private let maximumNames: Int
    private var position = 0
    /// The arrays and inline tables that aren't closed yet.
    private var brackets: [Bracket] = []
    /// The names in the last header of a table.
    private var table: [String] = []
    private var lines: [[String]: Int] = [:]
    /// The line of the last key or header, and the position at which it was counted.
    private var line = 1
    private var countedPosition = 0

    /// Returns the lines of keys and headers, from 1, each with the names of the tables around it. A key in an inline
    /// table has none. They are complete if the document is valid.
    ///
    /// - Parameter maximumNames: The maximum number of names in a key.
    /// - Throws: The first error that can't be left to the parser.
    static func lines(of text: String, maximumNames: Int) throws(TOMLDocument.SyntaxError) -> [[String]: Int] {
        var scan = Self(text, maximumNames: maximumNames)
        try scan.run()
        return scan.lines
    }

    private init(_ text: String, maximumNames: Int) {
        let scalars = Array(text.unicodeScalars)
        // The parser skips a byte order mark, and doesn't count it as a column.
        self.text = scalars.first == "\u{FEFF}" ? Array(scalars.dropFirst()) : scalars
        self.maximumNames = maximumNames
    }

    private mutating func run() throws(TOMLDocument.SyntaxError) {
        // Also after another error, and in a comment.
        if let place = text.firstIndex(of: "\0") { throw errorOfNUL(at: place) }
        var expected = Expected.key
        while let next = scalar() {
            guard let following = try step(next, expected) else { return }
            expected = following
        }
    }

    /// Skips a part of the text; nil: an error that the parser reports.
    private mutating func step(
        _ next: Unicode.Scalar, _ expected: Expected
    ) throws(TOMLDocument.SyntaxError) -> Expected? {
        switch next {
        case " ", "\t":
            position += 1
            return expected
        case "\n", "\r", "#":
            // A line doesn't end in an inline table, nor between a key and its value.
            guard brackets.last == .array || (brackets.isEmpty && expected != .value) else { return nil }
            while let character = scalar(), character != "\n" { position += 1 }
            position += 1
            return brackets.isEmpty ? .key : expected
        default: break
        }
        guard next.isASCII else {
            throw error("a character that isn't ASCII is allowed only in a text, a quoted name or a comment")
        }
        switch expected {
        case .key: return try key(next)
        case .value: return try value(next)
        case .end: return end(next)
        }
    }

    // MARK: - Keys

    private mutating func key(_ next: Unicode.Scalar) throws(TOMLDocument.SyntaxError) -> Expected? {
        // An empty inline table.
        if next == "}", brackets.last == .table { return end(next) }
        if next == "[", brackets.isEmpty { return try header() }
        guard let names = try readNames(), scalar() == "=" else { return nil }
        if brackets.isEmpty { record(table + names) }
        position += 1
        return .value
    }

    private mutating func header() throws(TOMLDocument.SyntaxError) -> Expected? {
        position += 1
        skipBlanks()
        let isArray = scalar() == "["
        if isArray {
            position += 1
            skipBlanks()
        }
        guard let first = scalar(), first != "]" else { return nil }
        guard Self.isBare(first) || Self.isQuote(first) else { throw error("the name of a table is expected") }
        guard let names = try readNames(), scalar() == "]" else { return nil }
        position += 1
        if isArray {
            guard scalar() == "]" else { return nil }
            position += 1
        }
        table = names
        record(names)
        return .end
    }

    /// Records the line of the position for a key or header, and for the tables around it that have none yet.
    private mutating func record(_ path: [String]) {
        line += text[countedPosition..<position].count(where: { $0 == "\n" })
        countedPosition = position
        for count in 1...path.count {
            let names = Array(path.prefix(count))
            // The first one: only the header of an array of tables may occur again.
            if lines[names] == nil { lines[names] = line }
        }
    }

    /// Reads the names of a key and skips the blanks after them; nil: an error that the parser reports.
    private mutating func readNames() throws(TOMLDocument.SyntaxError) -> [String]? {
        var names: [String] = []
        while let first = scalar() {
            guard names.count < maximumNames else { throw error("a key has more than \(maximumNames) names") }
            let start = position
            if Self.isQuote(first) {
                guard try skipText(first) else { return nil }
                names.append(Self.name(in: text[(start + 1)..<(position - 1)], hasEscapes: first == "\""))
            } else {
                while let character = scalar(), Self.isBare(character) { position += 1 }
                if position == start { return nil }
                names.append(Self.name(in: text[start..<position], hasEscapes: false))
            }
            skipBlanks()
            guard scalar() == "." else { return names }
            position += 1
            skipBlanks()
        }
        return nil
    }

    /// Returns a name without its quotes, with its escapes resolved.
    private static func name(in characters: ArraySlice<Unicode.Scalar>, hasEscapes: Bool) -> String {
        var name = String.UnicodeScalarView()
        var rest = characters
        while let next = rest.popFirst() {
            guard hasEscapes, next == "\\", let kind = rest.popFirst() else {
                name.append(next)
                continue
            }
            if let character = escapes[kind] {
                name.append(character)
            } else {
                let digits = rest.prefix(kind == "u" ? 4 : 8)
                rest = rest.dropFirst(digits.count)
                // Any other escape is an error that the parser reports.
                let code = UInt32(String(String.UnicodeScalarView(digits)), radix: 16)
                if let character = code.flatMap({ Unicode.Scalar($0) }) { name.append(character) }
            }
        }
        return String(name)
    }

    /// The characters that an escape of two characters means, by the second one.
    private static let escapes: [Unicode.Scalar: Unicode.Scalar] = [
        "b": "\u{8}", "t": "\t", "n": "\n", "f": "\u{C}", "r": "\r", "\"": "\"", "\\": "\\",
    ]

    private mutating func skipBlanks() {
        while let character = scalar(), character == " " || character == "\t" { position += 1 }
    }

    // MARK: - Values

    private mutating func value(_ next: Unicode.Scalar) throws(TOMLDocument.SyntaxError) -> Expected? {
        switch next {
        case "[":
            brackets.append(.array)
            position += 1
            return .value
        case "{":
            brackets.append(.table)
            position += 1
            return .key
        // An empty array, or a comma before the end of one.
        case "]": return end(next)
        case "}":
            guard brackets.last == .array else { return nil }
            throw error("a value or “]” is expected")
        case "\"", "'": return try skipText(next) ? .end : nil
        default: return try skipWord() ? .end : nil
        }
    }

    /// Skips the end of a value: a comma or a closing bracket.
    private mutating func end(_ next: Unicode.Scalar) -> Expected? {
        guard let last = brackets.last else { return nil }
        switch next {
        case ",":
            position += 1
            return last == .array ? .value : .key
        case "]" where last == .array, "}" where last == .table:
            position += 1
            brackets.removeLast()
            return .end
        default: return nil
        }
    }

    /// Skips a number, a date or another value without quotes; false: there is none.
    private mutating func skipWord() throws(TOMLDocument.SyntaxError) -> Bool {
        let start = position
        skipToTerminator()
        let word = Array(text[start..<position])
        guard let first = word.first else { return false }
        guard Self.isDigit(first) else { return true }
        // Only a date has two hyphens.
        let isDate = word.count(where: { $0 == "-" }) > 1
        if isDate, word.contains("_") { throw error("a date doesn't contain “_”", at: start) }
        if word.count > 10, word[10] == "T" || word[10] == "t", word.count == 11 || !Self.isDigit(word[11]) {
            throw error("a time such as 09:30:00 is expected after “\(word[10])”", at: start + 10)
        }
        // The time of a date, after a space instead of the `T`.
        guard isDate, scalar() == " ", let hour = scalar(1), Self.isDigit(hour) else { return true }
        guard let digit = scalar(2), Self.isDigit(digit) else {
            throw error("a time such as 09:30:00 is expected after the date", at: position + 1)
        }
        position += 1
        skipToTerminator()
        return true
    }

    private mutating func skipToTerminator() {
        while let character = scalar(), character.isASCII, !Self.terminators.contains(character) { position += 1 }
    }

    /// Skips a text with its quotes; false: an error that the parser reports.
    private mutating func skipText(_ quote: Unicode.Scalar) throws(TOMLDocument.SyntaxError) -> Bool {
        position += 1
        var isLong = false
        if scalar() == quote {
            position += 1
            guard scalar() == quote else { return true }
            position += 1
            isLong = true
        }
        while let next = scalar() {
            position += 1
            if next == quote {
                if !isLong || skipQuotes(quote) { return true }
            } else if next == "\\", quote == "\"" {
                if isEscapedNUL { throw errorOfNUL(at: position - 1) }
                position += 1
            } else if next == "\n", !isLong {
                return false
            }
        }
        return false
    }

    /// Skips quotes after one in a text of several lines; true: they end the text, whose last characters may be quotes.
    private mutating func skipQuotes(_ quote: Unicode.Scalar) -> Bool {
        var count = 1
        while count < 5, scalar() == quote {
            count += 1
            position += 1
        }
        return count >= 3
    }

    /// Whether the escape at the position is `u0000` or `U00000000`.
    private var isEscapedNUL: Bool {
        let digits = scalar() == "u" ? 4 : scalar() == "U" ? 8 : 0
        return digits > 0 && (1...digits).allSatisfy { scalar($0) == "0" }
    }

    // MARK: - Characters

    private static let terminators: Set<Unicode.Scalar> = [
        " ", "\t", "\n", "\u{B}", "\u{C}", "\r", "]", "}", ",", "#",
    ]

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isQuote(_ scalar: Unicode.Scalar) -> Bool { scalar == "\"" || scalar == "'" }

    private static func isBare(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }

    /// Returns the character at a distance from the position; nil: the text ends before it.
    private func scalar(_ distance: Int = 0) -> Unicode.Scalar? {
        position + distance < text.count ? text[position + distance] : nil
    }

    private func errorOfNUL(at place: Int) -> TOMLDocument.SyntaxError {
        error("a NUL character isn't allowed", at: place)
    }

    /// Returns an error at a place, by default the position.
    private func error(_ reason: String, at place: Int? = nil) -> TOMLDocument.SyntaxError {
        let before = text[..<(place ?? position)]
        let line = before.lastIndex(of: "\n").map { $0 + 1 } ?? 0
        return TOMLDocument.SyntaxError(
            line: before.count(where: { $0 == "\n" }) + 1, column: before.count - line + 1, reason: reason)
    }
}

public import Records

/// A record as a text for an editor: its fields between two lines of `---`, then the body, byte for byte, and a line
/// feed. It is the front matter of Markdown notes, with empty values for fields that may be filled in.
///
/// It is pure. The caller interprets the values; this type separates them, and compares two texts.
public struct RecordText: Sendable, Equatable {
    /// The fields in order, without `id` and `base`.
    public let members: [Member]
    /// The id of the record from which the text was made; nil: unknown.
    public let id: String?
    /// The fingerprint of the fields from which the text was made; nil: unknown.
    public let base: String?
    /// The body; nil if nothing follows the fields.
    public let body: String?
    /// Whether the lines of the fields end with CRLF, which an editor may have written.
    public let hasCRLF: Bool

    /// A field as typed.
    public struct Member: Sendable, Equatable {
        /// The field's name in the record.
        public let field: String
        /// The name as typed: `field.estimate`, `due`.
        public let name: String
        /// The value as text, without quotes; of other values than texts, JSON.
        public let text: String
        /// The value without a declared kind: a text, unless it is JSON; nil for an empty one.
        public let json: JSONValue?
    }

    /// The names of lines that aren't fields.
    static let facts = ["id", "base"]
    /// The prefix of a field that has the name of such a line.
    static let prefix = "field."

    /// The error of a text that doesn't consist of fields and a body.
    public struct Fault: Error, Equatable, Sendable {
        /// The line, counted from 1; nil: the whole text.
        public let line: Int?
        /// The problem, as a clause.
        public let reason: String
    }

    /// Parses a text.
    ///
    /// - Throws: `Fault` for the first line that can't be parsed.
    public init(parsing text: String) throws(Fault) {
        guard let parts = FrontMatter.split(text) else {
            throw Fault(line: nil, reason: "the fields must be at the top, between two lines of ---")
        }
        let front: FrontMatter
        do { front = try FrontMatter(parts.lines.map(Self.spaced)) } catch {
            throw Fault(line: error.line, reason: error.reason)
        }
        let all = front.members.map { Member(name: $0.name, $0.value) }
        members = all.filter { !Self.facts.contains($0.name) }
        id = all.first { $0.name == "id" }?.text
        base = all.first { $0.name == "base" }?.text
        let hasCRLF =
            text.utf8.firstIndex(of: UInt8(ascii: "\n")).map { end in
                text.utf8[..<end].last == UInt8(ascii: "\r")
            } ?? false
        self.hasCRLF = hasCRLF
        body = parts.rest.isEmpty ? nil : parts.rest.withoutLastLineEnd(isCRLF: hasCRLF)
    }

    /// Returns a line in the form of front matter: users also write `due:friday`, as in a command.
    private static func spaced(_ line: String) -> String {
        let name = line.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        let rest = line.dropFirst(name.count)
        return !name.isEmpty && rest.hasPrefix(":") ? name + ": " + rest.dropFirst() : line
    }

    /// Returns a fingerprint of 32 bits, which distinguishes states of a record.
    public static func fingerprint(of fields: JSONObject) -> String { Fingerprint.text(of: .object(fields)) }
}

extension RecordText.Member {
    fileprivate init(name: String, _ value: FrontMatter.Value) {
        self.name = name
        let prefix = RecordText.prefix
        let bare = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        // Only imports set their mark.
        field = bare == ImportMark.field ? "markdown.\(bare)" : bare
        switch value {
        case .plain(let text):
            self.text = text
            json = text.isEmpty ? nil : FrontMatterScalar.value(of: text)
        case .json(let value):
            text = value.string ?? value.text
            json = value.isNull ? nil : value
        }
    }
}

extension String {
    /// Returns the text without its last line end, if there is one.
    fileprivate func withoutLastLineEnd(isCRLF: Bool) -> String {
        guard utf8.last == UInt8(ascii: "\n") else { return self }
        let rest = utf8.dropLast()
        return String(decoding: isCRLF && rest.last == UInt8(ascii: "\r") ? rest.dropLast() : rest, as: UTF8.self)
    }
}

extension RecordText {
    /// A line above the body. New cases may be added.
    public enum Line: Sendable, Equatable {
        /// Instructions for the user; they may be removed.
        case comment(String)
        /// A field with a value; nil for an empty value.
        case field(String, JSONValue?)
        /// A field with a value as typed, see `isPlain`.
        case typed(String, String)
        /// The id of the record and the fingerprint of its state.
        case facts(id: String, fingerprint: String)
    }

    /// Returns the text of these lines and a body.
    public static func text(of lines: [Line], body: String?) -> String {
        (["---"] + lines.flatMap(\.texts) + ["---", ""]).joined(separator: "\n") + (body.map { $0 + "\n" } ?? "")
    }

    /// Returns whether a text can be written as a value without quotes and parsed unchanged.
    public static func isPlain(_ text: String) -> Bool {
        FrontMatterScalar.read(text) == .plain(text) && !text.isEmpty
            && text.first?.isWhitespace == false && text.last?.isWhitespace == false
            && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    }
}

extension RecordText.Line {
    fileprivate var texts: [String] {
        switch self {
        case .comment(let text): ["# " + text]
        case .field(let field, let value):
            [Self.name(field) + ":" + (value.map { " " + FrontMatterScalar.text(of: .json($0)) } ?? "")]
        case .typed(let field, let text): [Self.name(field) + ": " + text]
        case .facts(let id, let fingerprint):
            ["id: " + FrontMatterScalar.text(of: .json(.string(id))), "base: \"\(fingerprint)\""]
        }
    }

    /// Returns a field's name as written.
    private static func name(_ field: String) -> String {
        let isTaken = RecordText.facts.contains(field) || field.hasPrefix(RecordText.prefix)
        return FrontMatterScalar.name(isTaken ? RecordText.prefix + field : field)
    }
}

internal import Records

/// The lines between two `---` at the beginning of a Markdown file: `name: value` each, in a small part of YAML 1.2
/// that every parser reads in the same way.
///
/// Writing uses plain words, JSON strings where a word could be read as something else, and JSON for values that aren't
/// texts. Reading also accepts texts in single quotes, lists as `[a, b]` or with one `- ` on each line, and comments in
/// separate lines.
struct FrontMatter: Equatable {
    /// The names and values in order; a text without quotes is `.plain`.
    var members: [(name: String, value: Value)] = []

    /// A value as written.
    enum Value: Equatable {
        /// A text without quotes; it may also mean a number.
        case plain(String)
        case json(JSONValue)
    }

    static func == (left: FrontMatter, right: FrontMatter) -> Bool {
        left.members.elementsEqual(right.members) { $0 == $1 }
    }

    /// The error of a line that can't be read.
    struct Fault: Error {
        /// The line, counted from 1 in the file.
        let line: Int
        let reason: String
    }

    /// Splits a file into its front matter and the rest; nil if the file doesn't begin with front matter, or never ends
    /// it.
    static func split(_ text: String) -> (lines: [String], rest: String)? {
        let text = text.withoutByteOrderMark
        let bytes = text.utf8
        var lines: [String] = []
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            let raw = bytes[start..<end]
            let line = String(decoding: raw.last == UInt8(ascii: "\r") ? raw.dropLast() : raw, as: UTF8.self)
            start = bytes.index(after: end)
            if lines.isEmpty, line != "---" { return nil }
            if !lines.isEmpty, line == "---" {
                return (Array(lines.dropFirst()), String(decoding: bytes[start...], as: UTF8.self))
            }
            lines.append(line)
        }
        let last = String(decoding: bytes[start...], as: UTF8.self)
        return !lines.isEmpty && last == "---" ? (Array(lines.dropFirst()), "") : nil
    }

    /// Reads the lines between the marks.
    ///
    /// - Throws: `Fault` for the first line that can't be read.
    init(_ lines: [String]) throws(Fault) {
        for (index, line) in lines.enumerated() {
            if line.allSatisfy(\.isWhitespace) || line.hasPrefix("#") { continue }
            // Lines are counted from 1, and the first one is `---`.
            let number = index + 2
            if let item = Self.item(line) {
                try parse(item: item, line: number)
            } else {
                try parse(member: line, line: number)
            }
        }
    }

    init() {}

    private static func item(_ line: String) -> String? {
        let text = line.drop { $0 == " " }
        return text.hasPrefix("- ") ? String(text.dropFirst(2)) : nil
    }

    /// Adds an element to the list of the name above.
    private mutating func parse(item: String, line: Int) throws(Fault) {
        guard let last = members.last, let value = FrontMatterScalar.value(of: item) else {
            throw Fault(line: line, reason: "this line doesn't belong to a list")
        }
        switch last.value {
        case .plain(""): members[members.count - 1].value = .json([value])
        case .json(.array(let elements)): members[members.count - 1].value = .json(.array(elements + [value]))
        case .plain, .json: throw Fault(line: line, reason: "a list can't follow a value")
        }
    }

    private mutating func parse(member line: String, line number: Int) throws(Fault) {
        guard let (name, text) = FrontMatterScalar.member(line) else {
            throw Fault(line: number, reason: "this isn't of the form “name: value”")
        }
        if members.contains(where: { $0.name == name }) {
            throw Fault(line: number, reason: "“\(name)” occurs twice")
        }
        guard let value = FrontMatterScalar.read(text) else {
            throw Fault(line: number, reason: "the value of “\(name)” uses YAML that isn't supported; put it in quotes")
        }
        members.append((name, value))
    }

    /// The lines with their marks.
    var text: String {
        let lines = members.map { "\(FrontMatterScalar.name($0.name)): \(FrontMatterScalar.text(of: $0.value))" }
        return (["---"] + lines + ["---", ""]).joined(separator: "\n")
    }
}

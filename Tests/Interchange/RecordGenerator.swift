import Foundation
import Interchange
import Records
import TestSupport

/// Generates records with texts that are difficult for formats.
struct RecordGenerator {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private static let fragments = [
        "a", "milk", "é", "e\u{301}", "🚲", "\u{202E}", "\"", "'", "\"\"", ",", ";", "=", "=1+1", "+x", "-", "@b", "#",
        ":", ": ", " #", "---", "\\", "/", "..", "null", "true", "5", "1e5", "[", "]", "{}", " ", "  ", "\t", "x ",
        "(A) ", "2024-01-01", "k:v", "due:2024-02-01", "due:2024-02-30", "http://x.y", "\u{0}", "\u{7F}", "\u{FEFF}",
        "'=1", "con", "~", "- ", "|", "<b>", "%", "`", "&", "*", "!",
    ]
    private static let breaks = ["\n", "\r\n", "\r", "\n\n", "\u{2028}", "\u{85}", "\n---\n"]

    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

    mutating func text(_ fragments: [String], upTo count: Int) -> String {
        (0..<(1 + random.below(count))).map { _ in pick(fragments) }.joined()
    }

    /// A non-blank text in one line.
    mutating func title() -> String {
        let text = text(Self.fragments, upTo: 6)
        return text.allSatisfy(\.isWhitespace) ? text + "t" : text
    }

    /// A text with any number of lines.
    mutating func body() -> String { text(Self.fragments + Self.breaks, upTo: 12) }

    /// A word without a special meaning in any format.
    mutating func word() -> String { pick(["milk", "über", "later", "42nd", "räder", "🚲", "don't"]) }

    mutating func uuid() -> String {
        let digits = (0..<32).map { _ in pick(Array("0123456789abcdef")) }
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    mutating func moment() -> Timestamp { Timestamp(seconds: Int64(random.below(4_000_000_000))) }
    mutating func day() -> JSONValue { .string(String(moment().description.prefix(10))) }
    /// The start of a day in UTC.
    mutating func start() -> JSONValue { .string("\(moment().description.prefix(10))T00:00:00Z") }

    mutating func value(depth: Int = 0) -> JSONValue {
        switch random.below(depth > 2 ? 4 : 6) {
        case 0: .string(body())
        case 1: .integer(Int64(random.below(1_000)) - 500)
        case 2: .bool(random.oneIn(2))
        case 3: .string("")
        case 4: .array((0..<random.below(3)).map { _ in value(depth: depth + 1) })
        default: .object(JSONObject((0..<random.below(3)).map { ("\($0)", value(depth: depth + 1)) }))
        }
    }

    /// Fields as clients create them, including unknown ones.
    mutating func fields() -> JSONObject {
        var fields: JSONObject = ["title": .string(title()), "entry": .string(moment().description)]
        if random.oneIn(2) { fields["body"] = .string(body()) }
        if random.oneIn(2) {
            fields["tags"] = .array(Array(Set([title(), word(), word()])).sorted().map(JSONValue.string))
        }
        for _ in 0..<random.below(3) {
            fields[pick(["estimate", "x.y", "with space", "=evil", "Ünknown", "field.id", "n", "rec"])] = value()
        }
        return fields
    }

    mutating func task() -> Record {
        var fields = fields()
        fields["status"] = .string(pick(["pending", "completed", "waiting"]))
        if random.oneIn(2) { fields["priority"] = .string(pick(["H", "M", "L"])) }
        if random.oneIn(2) { fields["project"] = .string(title()) }
        if random.oneIn(2) { fields["due"] = random.oneIn(2) ? day() : .string(moment().description) }
        if random.oneIn(2) {
            fields["annotations"] = [["entry": .string(moment().description), "description": .string(body())]]
        }
        return Record(key: RecordKey(collection: "tasks", id: uuid()), fields: fields)
    }

    mutating func note() -> Record { Record(key: RecordKey(collection: "notes", id: uuid()), fields: fields()) }

    /// A task that todo.txt can hold completely.
    mutating func line() -> Record {
        var fields: JSONObject = ["title": .string((0..<3).map { _ in word() }.joined(separator: " "))]
        fields["entry"] = start()
        let isCompleted = random.oneIn(3)
        fields["status"] = .string(isCompleted ? "completed" : pick(["pending", "waiting"]))
        if isCompleted { fields["end"] = start() }
        for name in ["due", "wait", "scheduled", "until"] where random.oneIn(3) { fields[name] = day() }
        if random.oneIn(2) { fields["priority"] = .string(pick(["H", "M", "L"])) }
        if random.oneIn(2) { fields["project"] = .string(pick(["home", "home.garden", "a/b+c@d"])) }
        if random.oneIn(2) { fields["tags"] = .array(Array(Set([word(), word()])).map(JSONValue.string)) }
        // With a due date, an interval would be read as the interval of the task.
        if random.oneIn(3) { fields["rec"] = .string(pick(fields["due"] == nil ? ["+1w", "2d", "a:b"] : ["a:b"])) }
        return Record(key: RecordKey(collection: "tasks", id: uuid()), fields: fields)
    }
}

/// Taskwarrior's format as its tests use it.
enum Taskwarrior {
    static let codec = FormatCodec(.taskwarrior, timeZone: .gmt, types: .standard)

    static func parse(_ bytes: [UInt8]) throws(ImportError) -> [ImportedRecord] {
        try codec.decode(String(decoding: bytes, as: UTF8.self))
    }

    static func plan(_ task: ImportedRecord, existing: Record?) -> ImportPlan { codec.plan(task, existing: existing) }
}

/// Texts for the tests.
enum Samples {
    /// An excerpt of a real export.
    static let export = #"""
        [
        {"id": 3, "description": "Pass rc.weekstart to libshared for ISO8601 weeknum parsing if \"monday\" (#3654)", "due": "20241222T200050Z", "entry": "20241019T200050Z", "modified": "20261121T055212Z", "project": "cli.reports", "status": "pending", "uuid": "fd807e08-ea2c-1711-fa57-f2044b3e3395", "annotations": [{"entry": "20241019T200050Z", "description": "* libshared: bump for weekstart, epoch defines, eopww fix"}, {"entry": "20241019T200051Z", "description": "mainly those visible changes, and miscellaneous others"}], "urgency": 16},
        {"id": 5, "description": "Restore 'load' timer (#3635)", "entry": "20241010T053302Z", "modified": "20261121T055212Z", "status": "pending", "uuid": "442207ea-aa1b-7c2a-8797-764c022a0a55", "annotations": [{"entry": "20241010T053302Z", "description": "* Restore 'load' timer"}, {"entry": "20241010T053303Z", "description": "* [pre-commit.ci] auto fixes from pre-commit.com hooks"}], "urgency": 3},
        {"id": 17, "description": "Release 3.1.0 (#3574)", "due": "20241023T165111Z", "entry": "20240804T165111Z", "modified": "20261121T055212Z", "priority": "L", "status": "pending", "uuid": "2646f012-f8d7-fa1a-2862-befe72b8e0aa", "urgency": 15.8},
        {"id": 0, "description": "osx: Set LDFLAGS to search Foundation and Security", "end": "20221229T205743Z", "entry": "20221218T205743Z", "modified": "20261121T055212Z", "priority": "H", "status": "completed", "uuid": "a9268685-5820-77b9-1def-9952e11f456d", "tags": ["osx"], "urgency": 8.8}
        ]
        """#
}

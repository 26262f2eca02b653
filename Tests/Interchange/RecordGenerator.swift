import Records
import TestSupport

/// Makes records of texts that are hard on formats.
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

    /// A text in one line that says something.
    mutating func title() -> String {
        let text = text(Self.fragments, upTo: 6)
        return text.allSatisfy(\.isWhitespace) ? text + "t" : text
    }

    /// A text of any lines.
    mutating func body() -> String { text(Self.fragments + Self.breaks, upTo: 12) }

    /// A word that no format takes for something else.
    mutating func word() -> String { pick(["milk", "über", "later", "42nd", "räder", "🚲", "don't"]) }

    mutating func uuid() -> String {
        let digits = (0..<32).map { _ in pick(Array("0123456789abcdef")) }
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    mutating func moment() -> Timestamp { Timestamp(seconds: Int64(random.below(4_000_000_000))) }
    mutating func day() -> JSONValue { .string("\(moment().description.prefix(10))T00:00:00Z") }

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

    /// Fields as clients make them, with unknown ones among them.
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
        if random.oneIn(2) { fields["due"] = .string(moment().description) }
        if random.oneIn(2) {
            fields["annotations"] = [["entry": .string(moment().description), "description": .string(body())]]
        }
        return Record(key: RecordKey(collection: "tasks", id: uuid()), fields: fields)
    }

    mutating func note() -> Record { Record(key: RecordKey(collection: "notes", id: uuid()), fields: fields()) }

    /// A task that todo.txt holds wholly.
    mutating func line() -> Record {
        var fields: JSONObject = ["title": .string((0..<3).map { _ in word() }.joined(separator: " "))]
        fields["entry"] = day()
        let isCompleted = random.oneIn(3)
        fields["status"] = .string(isCompleted ? "completed" : pick(["pending", "waiting"]))
        if isCompleted { fields["end"] = day() }
        for name in ["due", "wait", "scheduled", "until"] where random.oneIn(3) { fields[name] = day() }
        if random.oneIn(2) { fields["priority"] = .string(pick(["H", "M", "L"])) }
        if random.oneIn(2) { fields["project"] = .string(pick(["home", "home.garden", "a/b+c@d"])) }
        if random.oneIn(2) { fields["tags"] = .array(Array(Set([word(), word()])).map(JSONValue.string)) }
        if random.oneIn(3) { fields["rec"] = .string(pick(["+1w", "2d", "a:b"])) }
        return Record(key: RecordKey(collection: "tasks", id: uuid()), fields: fields)
    }
}

/// The rule by which work on a record begins and ends. It is derived from the fields with the roles `started` and
/// `spent`.
public struct WorkRule: Sendable, Equatable {
    /// The field with the time at which the work began.
    private let started: String
    /// The field with the time spent so far; nil: it isn't counted.
    private let spent: String?

    init?(of fields: [Field]) {
        guard let started = fields.first(where: { $0.role == .started })?.name else { return nil }
        self.started = started
        spent = fields.first { $0.role == .spent }?.name
    }

    /// Returns whether work on the record is going on.
    public func isActive(_ fields: JSONObject) -> Bool { fields[started].map { !$0.isNull } ?? false }

    /// Returns the change that begins the work; empty if it has begun.
    public func starting(_ fields: JSONObject, at now: Timestamp) -> JSONObject {
        isActive(fields) ? [:] : [started: .string(now.description)]
    }

    /// Returns the change that ends the work and adds its time to the time spent; empty if no work is going on.
    public func stopping(_ fields: JSONObject, at now: Timestamp) -> JSONObject {
        guard isActive(fields) else { return [:] }
        var change: JSONObject = [started: .null]
        // A sum that can't be read is left as it is: another program may know its form.
        guard let spent, let start = fields[FieldKey<Timestamp>(started)], now > start,
            let before = fields[spent].map(WorkTime.seconds(of:)) ?? 0
        else { return change }
        change[spent] = .string(WorkTime.text(before + now.seconds - start.seconds))
        return change
    }

    /// Returns the time spent, without the work that is going on, in words: `1h 20min`; nil: none.
    public func words(for fields: JSONObject) -> String? {
        spent.flatMap { fields[$0] }.flatMap { WorkTime.seconds(of: $0) }.map { WorkTime.words($0) }
    }
}

/// Durations of work: `1h 20min` as typed and shown, `PT1H20M` (ISO 8601) as stored.
public enum WorkTime {
    /// The syntax of a field with such a duration.
    public static let syntax = FieldSyntax(
        noun: "a duration", hint: "90min, 1h20min or PT1H20M", examples: ["30min", "1h", "2h30min"],
        words: { text in WorkTime.seconds(in: text).map { WorkTime.words($0) } ?? text },
        canonical: { typed in WorkTime.seconds(in: typed).map { WorkTime.text($0) } })

    /// The longest duration that is read: 10,000 days.
    private static let longest: Int64 = 864_000_000
    private static let units: [(names: [String], seconds: Int64)] = [
        (["d"], 86_400), (["h"], 3_600), (["min", "m"], 60), (["s"], 1),
    ]

    /// Returns the seconds of a stored value: a number of seconds, or a duration.
    static func seconds(of value: JSONValue) -> Int64? {
        switch value {
        case .string(let text): seconds(in: text)
        case .number(let number): number.double >= 0 && number.double <= Double(longest) ? Int64(number.double) : nil
        case .null, .bool, .array, .object: nil
        }
    }

    /// Returns the seconds of `PT1H20M`, `1h20min` or `90 min`; nil for any other text.
    static func seconds(in text: String) -> Int64? {
        var rest: Substring = text.lowercased().filter { !$0.isWhitespace }[...]
        // In ISO 8601, M before the T is a month, which has no fixed length.
        if rest.hasPrefix("p") {
            guard let mark = rest.firstIndex(of: "t") ?? (rest.contains("m") ? nil : rest.endIndex),
                !rest[..<mark].contains("m")
            else { return nil }
            rest = rest.dropFirst().filter { $0 != "t" }
        }
        if rest.isEmpty { return nil }
        var sum: Int64 = 0
        var bound = Int64.max
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let unit = rest.dropFirst(digits.count).prefix { $0.isLetter }
            guard digits.count <= 9, let number = Int64(digits),
                let seconds = units.first(where: { $0.names.contains(String(unit)) })?.seconds, seconds < bound
            else { return nil }
            sum += number * seconds
            if sum > longest { return nil }
            // Each unit once, the largest first.
            bound = seconds
            rest = rest.dropFirst(digits.count + unit.count)
        }
        return sum
    }

    /// Returns a duration as it is stored.
    static func text(_ seconds: Int64) -> String {
        let parts = [(seconds / 3_600, "H"), (seconds / 60 % 60, "M"), (seconds % 60, "S")].filter { $0.0 > 0 }
        return parts.isEmpty ? "PT0S" : "PT" + parts.map { "\($0.0)\($0.1)" }.joined()
    }

    /// Returns a duration as it is shown: `1h 20min`; seconds only if it is shorter than a minute.
    static func words(_ seconds: Int64) -> String {
        if seconds < 60 { return "\(seconds)s" }
        let parts = [(seconds / 3_600, "h"), (seconds / 60 % 60, "min")].filter { $0.0 > 0 }
        return parts.map { "\($0.0)\($0.1)" }.joined(separator: " ")
    }
}

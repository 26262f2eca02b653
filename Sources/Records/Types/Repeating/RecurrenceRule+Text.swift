internal import Foundation

extension RecurrenceRule: CustomStringConvertible {
    /// The text of RFC 5545 with the parts in one order, without those that have their default value.
    public var description: String {
        var parts = ["FREQ=\(frequency.rawValue)"]
        if interval != 1 { parts.append("INTERVAL=\(interval)") }
        if !months.isEmpty { parts.append("BYMONTH=" + Self.list(months)) }
        if !monthDays.isEmpty { parts.append("BYMONTHDAY=" + Self.list(monthDays)) }
        if !weekdays.isEmpty { parts.append("BYDAY=" + Self.list(weekdays)) }
        if !positions.isEmpty { parts.append("BYSETPOS=" + Self.list(positions)) }
        if weekStart != .monday { parts.append("WKST=" + weekStart.code) }
        switch end {
        case nil: break
        case .count(let count)?: parts.append("COUNT=\(count)")
        case .day(let day)?: parts.append("UNTIL=" + Self.compact(day.description))
        case .moment(let moment)?: parts.append("UNTIL=" + Self.compact(moment.description))
        }
        return parts.joined(separator: ";")
    }

    private static func list(_ elements: [some CustomStringConvertible]) -> String {
        elements.map(\.description).joined(separator: ",")
    }

    /// Returns the basic form of ISO 8601: `20261224`, `20261224T150000Z`.
    private static func compact(_ text: String) -> String { text.filter { $0 != "-" && $0 != ":" } }
}

extension RecurrenceRule.WeekdayPart: CustomStringConvertible {
    /// The text of an element of BYDAY: `MO`, `-1FR`.
    public var description: String { (ordinal == 0 ? "" : "\(ordinal)") + weekday.code }

    fileprivate init?(_ text: Substring) {
        guard let weekday = RecurrenceRule.Weekday(code: text.suffix(2)) else { return nil }
        let digits = text.dropLast(2)
        guard let ordinal = digits.isEmpty ? 0 : RecurrenceRule.integer(digits), digits.isEmpty || ordinal != 0 else {
            return nil
        }
        self.init(weekday, ordinal: ordinal)
    }
}

extension RecurrenceRule.Weekday {
    fileprivate init?(code: some StringProtocol) {
        guard let weekday = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = weekday
    }
}

extension RecurrenceRule {
    /// Parses a text of RFC 5545, also in lower case or with `RRULE:` before it.
    ///
    /// - Throws: `RecurrenceError`, with the part that is wrong.
    public init(parsing text: String) throws(RecurrenceError) {
        guard text.utf8.count <= Self.maximumTextLength else {
            throw RecurrenceError("", "a rule has at most 1000 bytes")
        }
        var rest = text.trimmingCharacters(in: .whitespaces).uppercased()[...]
        if rest.hasPrefix("RRULE:") { rest = rest.dropFirst(6) }
        var values: [Name: Substring] = [:]
        for part in rest.split(separator: ";", omittingEmptySubsequences: false) {
            let (name, value) = try Self.pair(part)
            guard values.updateValue(value, forKey: name) == nil else {
                throw RecurrenceError(String(part), "\(name.rawValue) is given twice")
            }
        }
        try self.init(
            Self.frequency(values[.freq]), interval: Self.number(.interval, values[.interval]) ?? 1,
            months: Self.numbers(.byMonth, values[.byMonth]),
            monthDays: Self.numbers(.byMonthDay, values[.byMonthDay]), weekdays: Self.weekdays(values[.byDay]),
            positions: Self.numbers(.bySetPos, values[.bySetPos]), weekStart: Self.weekStart(values[.wkst]),
            end: Self.end(count: values[.count], until: values[.until]))
    }

    /// The names of parts.
    private enum Name: String {
        case freq = "FREQ"
        case interval = "INTERVAL"
        case byMonth = "BYMONTH"
        case byMonthDay = "BYMONTHDAY"
        case byDay = "BYDAY"
        case bySetPos = "BYSETPOS"
        case wkst = "WKST"
        case count = "COUNT"
        case until = "UNTIL"
    }

    private static func pair(_ part: Substring) throws(RecurrenceError) -> (name: Name, value: Substring) {
        guard let equals = part.firstIndex(of: "=") else {
            throw RecurrenceError(String(part), "a part of a rule has the form NAME=VALUE")
        }
        guard let name = Name(rawValue: String(part[..<equals])) else {
            throw RecurrenceError(
                String(part),
                "the name isn't one of FREQ, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY, BYSETPOS, WKST, COUNT and UNTIL")
        }
        return (name, part[part.index(after: equals)...])
    }

    private static func frequency(_ value: Substring?) throws(RecurrenceError) -> Frequency {
        guard let value else { throw RecurrenceError("", "a rule needs FREQ=DAILY, WEEKLY, MONTHLY or YEARLY") }
        if let frequency = Frequency(rawValue: String(value)) { return frequency }
        let isOften = ["HOURLY", "MINUTELY", "SECONDLY"].contains(value)
        throw RecurrenceError(
            "FREQ=\(value)", isOften ? tooOften : "the frequency must be DAILY, WEEKLY, MONTHLY or YEARLY")
    }

    /// The reason why hours and minutes are refused.
    static let tooOften = "the interval is shorter than a day, and a task repeats at most daily"

    private static func number(_ name: Name, _ value: Substring?) throws(RecurrenceError) -> Int? {
        guard let value else { return nil }
        guard let number = integer(value) else {
            throw RecurrenceError("\(name.rawValue)=\(value)", "“\(value)” isn't a number")
        }
        return number
    }

    private static func numbers(_ name: Name, _ value: Substring?) throws(RecurrenceError) -> [Int] {
        guard let value else { return [] }
        var numbers: [Int] = []
        for element in value.split(separator: ",", omittingEmptySubsequences: false) {
            guard let number = integer(element) else {
                throw RecurrenceError("\(name.rawValue)=\(value)", "“\(element)” isn't a number")
            }
            numbers.append(number)
        }
        return numbers
    }

    private static func weekdays(_ value: Substring?) throws(RecurrenceError) -> [WeekdayPart] {
        guard let value else { return [] }
        var parts: [WeekdayPart] = []
        for element in value.split(separator: ",", omittingEmptySubsequences: false) {
            guard let part = WeekdayPart(element) else {
                throw RecurrenceError(
                    "BYDAY=\(value)", "“\(element)” isn't a weekday such as MO, 1MO or -1FR")
            }
            parts.append(part)
        }
        return parts
    }

    private static func weekStart(_ value: Substring?) throws(RecurrenceError) -> Weekday {
        guard let value else { return .monday }
        guard let weekday = Weekday(code: value) else {
            throw RecurrenceError("WKST=\(value)", "the first day of a week must be MO, TU, WE, TH, FR, SA or SU")
        }
        return weekday
    }

    private static func end(count: Substring?, until: Substring?) throws(RecurrenceError) -> End? {
        if let until {
            if count != nil { throw RecurrenceError("UNTIL=\(until)", "a rule with COUNT has no UNTIL") }
            if let moment = Timestamp(compact: String(until)) { return .moment(moment) }
            var reader = DigitReader(until)
            guard let year = reader.number(4), let month = reader.number(2), let number = reader.number(2),
                reader.isAtEnd, let day = CalendarDay(year: year, month: month, day: number)
            else {
                throw RecurrenceError(
                    "UNTIL=\(until)", "the end must be a day or a time in UTC, such as 20261224 or 20261224T150000Z")
            }
            return .day(day)
        }
        return try number(.count, count).map { End.count($0) }
    }

    /// Returns the number of a text of a sign and up to six digits; nil for any other text.
    fileprivate static func integer(_ text: Substring) -> Int? {
        let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text
        guard (1...6).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}

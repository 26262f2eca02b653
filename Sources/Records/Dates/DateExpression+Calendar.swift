internal import Foundation

// Days and times of the calendar. A day may lack its midnight or any other hour, or have one twice.
extension DateExpression.Context {
    /// Returns noon of a time's day. Days are counted from noon, since a day may begin later than midnight.
    func noon(on date: Date) -> Date {
        let start = calendar.startOfDay(for: date)
        return TimeOfDay("noon").flatMap { moment(of: $0, on: start) } ?? start
    }

    /// Returns a time on the day that starts at `start`: the first one if clocks show it twice; if they skip it, the
    /// time at which they continue.
    func moment(of time: TimeOfDay, on start: Date) -> Date? {
        var parts = calendar.dateComponents([.year, .month, .day], from: start)
        (parts.hour, parts.minute, parts.second) = (time.hour, time.minute, time.second)
        guard let date = calendar.date(from: parts) else { return nil }
        // If clocks skip the time, the calendar returns another time of day or another day.
        let found = calendar.dateComponents([.day, .hour, .minute], from: date)
        if (found.day, found.hour, found.minute) == (parts.day, parts.hour, parts.minute) { return earlier(date) }
        return calendar.timeZone.nextDaylightSavingTimeTransition(after: start.addingTimeInterval(-1))
    }

    /// Returns the first time at which clocks show the same as at this one.
    private func earlier(_ date: Date) -> Date {
        let zone = calendar.timeZone
        // The offset one day before, so before a change of the clocks that repeats this time.
        let before = date.addingTimeInterval(-86_400)
        let shift = Double(zone.secondsFromGMT(for: before) - zone.secondsFromGMT(for: date))
        // Only when clocks go back does a time occur twice.
        guard shift > 0 else { return date }
        let candidate = date.addingTimeInterval(-shift)
        return zone.secondsFromGMT(for: candidate) == zone.secondsFromGMT(for: before) ? candidate : date
    }

    /// Returns the start of a day; nil if there is no such day.
    func start(year: Int, month: Int, day: Int) -> Date? {
        // The calendar would accept 2026-02-30 as a day in March.
        guard Timestamp(year: year, month: month, day: day, hour: 0, minute: 0, second: 0) != nil else { return nil }
        let components = DateComponents(year: year, month: month, day: day, hour: 12)
        return calendar.date(from: components).map { calendar.startOfDay(for: $0) }
    }

    /// Parses `2026-11-21`, `20261121`, `2026-W47` or `2026-W47-6`, in lower case.
    func isoDay(_ word: String) -> Date? {
        var reader = DigitReader(word)
        guard let year = reader.number(4) else { return nil }
        let isExtended = reader.skip("-")
        if reader.skip("w") { return isoWeek(year, &reader, isExtended) }
        guard let month = reader.number(2), reader.skip("-") == isExtended, let day = reader.number(2), reader.isAtEnd
        else { return nil }
        return start(year: year, month: month, day: day)
    }

    /// Parses a week. The first week of a year has its first Thursday, and weeks begin on Monday (ISO 8601).
    private func isoWeek(_ year: Int, _ reader: inout DigitReader, _ isExtended: Bool) -> Date? {
        guard let week = reader.number(2), (1...53).contains(week) else { return nil }
        var weekday = 1
        if !reader.isAtEnd {
            guard reader.skip("-") == isExtended, let day = reader.number(1), (1...7).contains(day) else { return nil }
            weekday = day
        }
        guard reader.isAtEnd else { return nil }
        var iso = Calendar(identifier: .iso8601)
        iso.timeZone = calendar.timeZone
        // Foundation counts weekdays from Sunday, ISO 8601 from Monday; both begin with 1.
        let parts = DateComponents(hour: 12, weekday: weekday % 7 + 1, weekOfYear: week, yearForWeekOfYear: year)
        // For a year of 52 weeks, the calendar would accept week 53 as the first week of the next year.
        guard let noon = iso.date(from: parts), iso.component(.weekOfYear, from: noon) == week else { return nil }
        return calendar.startOfDay(for: noon)
    }
}

// MARK: - Days by the names of their months

extension DateExpression.Context {
    /// The names of the months. Three letters are enough.
    static let monthNames = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// Parses a day in digits or with the name of its month, also after a matching weekday: `2026-11-27`, `27.11.`,
    /// `15th`, `27 nov`, `3rd of june`, `nov 27`, `27 november 2027`. Without a year or a month, the next such day is
    /// meant, today included.
    func calendarDay(_ words: [String]) -> Date? {
        var words = words
        let weekday = words.first.flatMap(Self.weekday)
        if weekday != nil { words.removeFirst() }
        let day =
            words.count == 1
            ? isoDay(words[0]) ?? dayOfMonth(words[0]) ?? numericDay(words[0]) : dayOfNamedMonth(words)
        guard let day, weekday.map({ $0 == calendar.component(.weekday, from: day) }) ?? true else { return nil }
        return day
    }

    /// Parses `15th`.
    private func dayOfMonth(_ word: String) -> Date? {
        guard word.first?.isNumber == true, let number = Ordinal.number(word) else { return nil }
        let today = calendar.startOfDay(for: now)
        // A month that lacks the day is followed by one that has it.
        return (0...2).lazy.compactMap { interval(of: .month, offset: $0) }
            .compactMap { day(.day(number), in: $0) }.first { $0 >= today }
    }

    private func dayOfNamedMonth(_ words: [String]) -> Date? {
        var words = words
        if words.count > 2, words[1] == "of", Self.month(words[2]) != nil { words.remove(at: 1) }
        guard words.count == 2 || words.count == 3,
            let (day, month) = Self.dayAndMonth(words[0], words[1]) ?? Self.dayAndMonth(words[1], words[0])
        else { return nil }
        if words.count == 2 { return next(month: month, day: day) }
        return Self.year(words[2]).flatMap { start(year: $0, month: month, day: day) }
    }

    /// Returns the next such day, today included; nil if there is none.
    func next(month: Int, day: Int) -> Date? {
        let (today, year) = (calendar.startOfDay(for: now), calendar.component(.year, from: now))
        // A 29 February is at most 8 years away (2096 to 2104).
        return (year...year + 8).lazy.compactMap { start(year: $0, month: month, day: day) }.first { $0 >= today }
    }

    static func dayAndMonth(_ day: String, _ month: String) -> (day: Int, month: Int)? {
        let isNumber = day.utf8.count <= 2 && day.allSatisfy { $0.isASCII && $0.isNumber }
        guard let day = isNumber ? Int(day) : Ordinal.number(day), (1...31).contains(day),
            let month = Self.month(month)
        else { return nil }
        return (day, month)
    }

    /// Returns the number of a month: 1 to 12.
    static func month(_ word: String) -> Int? {
        guard word.count >= 3 else { return nil }
        return monthNames.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
    }

    /// Returns the year of four digits.
    static func year(_ word: String) -> Int? {
        var reader = DigitReader(word)
        guard let year = reader.number(4), reader.isAtEnd else { return nil }
        return year
    }

    /// Returns the number of a weekday; that of Sunday is 1.
    static func weekday(_ word: String) -> Int? {
        guard word.count >= 3 else { return nil }
        return DateReader.weekdays.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
    }
}

extension Timestamp {
    /// Parses RFC 3339 without seconds: `2026-11-21T15:00+01:00`; nil for any other text.
    init?(toTheMinute text: String) {
        guard text.utf8.count > 16 else { return nil }
        let minute = text.utf8.index(text.startIndex, offsetBy: 16)
        self.init(text[..<minute] + ":00" + text[minute...])
    }
}

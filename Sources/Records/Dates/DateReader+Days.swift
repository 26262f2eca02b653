internal import Foundation

// Expressions that mean a day, and `now`.
extension DateReader {
    /// The words that completion offers.
    static let offered = [
        "today", "tomorrow", "tonight", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "weekend", "noon", "midnight",
        "eod", "eow", "eom", "eoq", "eoy", "sow", "som", "soq", "soy", "easter", "someday",
    ]

    /// The words of which one is suggested for a mistyped one; of equally near words, the first.
    static let vocabulary: [String] = {
        var words = ["today", "tomorrow", "yesterday", "now", "noon"]
        words += weekdays
        words += ["sod", "eod", "sow", "eow", "som", "eom", "soq", "eoq", "soy", "eoy"]
        words += ["tonight", "midnight", "weekend", "someday", "later", "easter"]
        words += ["morning", "afternoon", "evening", "night"]
        words += DateExpression.Context.monthNames
        words += Ordinal.words
        words += ["next", "last", "start", "end", "from", "quarter"]
        words += Distance.Unit.allCases.flatMap(\.names).filter { $0.count > 2 }
        return words
    }()

    /// Parses an expression without a time of day.
    func day(_ words: [String]) -> Reading? {
        if words.isEmpty { return nil }
        if let distance = Self.nearDays[words] { return (context.start(ofDay: distance).date, true) }
        if let day = context.calendarDay(words) ?? context.feast(words) { return (day, true) }
        if let day = dayOfPeriod(words) ?? weekdayLater(words) { return (day, true) }
        return keyword(words) ?? named(words) ?? distanceFrom(words) ?? distance(words)
    }

    /// The days next to tomorrow and yesterday, by words without `the`.
    private static let nearDays = [["day", "after", "tomorrow"]: 2, ["day", "before", "yesterday"]: -2]

    private func whole(_ day: Date?) -> Reading? {
        guard let day else { return nil }
        return (day, true)
    }

    private func keyword(_ words: [String]) -> Reading? {
        guard words.count == 1 else { return nil }
        return switch words[0] {
        case "now": (now, false)
        case "today", "sod", "eod": today
        case "tomorrow": (context.start(ofDay: 1).date, true)
        case "yesterday": (context.start(ofDay: -1).date, true)
        case "weekend": weekend(isNext: false)
        case "sow": whole(context.start(of: .week))
        case "som": whole(context.start(of: .month))
        case "soq": whole(context.start(of: .quarter))
        case "soy": whole(context.start(of: .year))
        case "eow": whole(context.end(of: .week))
        case "eom": whole(context.end(of: .month))
        case "eoq": whole(context.end(of: .quarter))
        case "eoy": whole(context.end(of: .year))
        // After all other dates. It isn't the last day of that year, since in some time zones the day after that has no
        // text in UTC.
        case "someday", "later": whole(context.start(year: 9_999, month: 12, day: 30))
        default: whole(weekday(words[0]))
        }
    }

    /// Returns the first such weekday after today.
    private func weekday(_ word: String) -> Date? {
        guard let weekday = DateExpression.Context.weekday(word) else { return nil }
        return context.start(days: 1, after: now).flatMap { context.first(weekday, from: $0) }
    }

    /// Returns the Saturday of this weekend, or today if today is part of it; of the next one, its Saturday.
    private func weekend(isNext: Bool) -> Reading {
        // The days to Saturday, which is 7; Sunday is 1 and belongs to the Saturday before it.
        let weekday = calendar.component(.weekday, from: now)
        let saturday = weekday == 1 ? -1 : 7 - weekday
        return (context.start(ofDay: isNext ? saturday + 7 : max(0, saturday)).date, true)
    }

    /// Parses `next friday`, `this weekend`, `next month`, `wed next week`.
    private func named(_ words: [String]) -> Reading? {
        if words.count == 3 {
            let isWeekFirst = words[0] == "next"
            guard words[isWeekFirst ? 0 : 1] == "next", words[isWeekFirst ? 1 : 2] == "week",
                let weekday = DateExpression.Context.weekday(words[isWeekFirst ? 2 : 0])
            else { return nil }
            return whole(context.start(of: .week, offset: 1).flatMap { context.first(weekday, from: $0) })
        }
        guard words.count == 2, words[0] == "next" || words[0] == "this" else { return nil }
        let isNext = words[0] == "next"
        if words[1] == "weekend" { return weekend(isNext: isNext) }
        if let day = weekday(words[1]) { return (day, true) }
        guard isNext, let period = CalendarPeriod(words[1]) else { return nil }
        return whole(context.start(of: period, offset: 1))
    }

    /// Parses `monday in 2 weeks`: the first Monday that isn't before that day.
    private func weekdayLater(_ words: [String]) -> Date? {
        guard words.count > 2, words[1] == "in", let weekday = DateExpression.Context.weekday(words[0]),
            let day = distance(Array(words[1...])), day.isDay
        else { return nil }
        return context.first(weekday, from: day.date)
    }

    /// Parses `a week from friday`, `2 days before easter`, `an hour from now`.
    private func distanceFrom(_ words: [String]) -> Reading? {
        guard let index = words.firstIndex(where: { ["from", "after", "before"].contains($0) }),
            let distance = Distance(words: Array(words[..<index].drop { $0 == "in" }))
        else { return nil }
        let rest = Array(words[(index + 1)...])
        if rest == ["now"], words[index] == "from" { return after(distance) }
        guard distance.unit.isDays, let start = day(rest), start.isDay else { return nil }
        return add(words[index] == "before" ? distance.reversed : distance, to: start)
    }
}

// MARK: - Days of a period

extension DateReader {
    /// Parses `end of month`, `first monday of december`, `last day of next month`.
    private func dayOfPeriod(_ words: [String]) -> Date? {
        guard let index = words.firstIndex(of: "of"), let day = PeriodDay(Array(words[..<index])) else { return nil }
        let candidates = periods(Array(words[(index + 1)...]), of: day)
        let days = candidates.compactMap { context.day(day, in: $0) }
        // A single period is meant, also if its day is past.
        return candidates.count == 1 ? days.first : days.first { $0 >= today.date }
    }

    /// Returns the periods that can be meant, in order: for `december` that of several years, for `december 2027` one.
    private func periods(_ words: [String], of day: PeriodDay) -> [DateInterval] {
        guard let first = words.first, words.count <= 2 else { return [] }
        if let month = DateExpression.Context.month(first) {
            let year = calendar.component(.year, from: now)
            let typed = words.count == 2 ? DateExpression.Context.year(words[1]) : nil
            if words.count == 2, typed == nil { return [] }
            return (typed.map { $0...$0 } ?? year...year + 8).compactMap { context.interval(ofMonth: month, year: $0) }
        }
        if words.count == 1, let period = CalendarPeriod(first) {
            // `start of week` is the start of the current week, also if it is past.
            let isPresent = day == .start || day == .end
            return (0..<(isPresent ? 1 : 12)).compactMap { context.interval(of: period, offset: $0) }
        }
        guard words.count == 2, first == "this" || first == "next", let period = CalendarPeriod(words[1]) else {
            return []
        }
        return [context.interval(of: period, offset: first == "next" ? 1 : 0)].compactMap(\.self)
    }
}

internal import Foundation

/// Reads date expressions; see `DateExpression` for what they look like.
struct DateReader {
    typealias Reading = (date: Date, isDay: Bool)

    private let now: Date
    private let calendar: Calendar

    init(context: DateExpression.Context) {
        now = context.now
        calendar = context.calendar
    }

    func read(_ text: String) -> Reading? {
        if let moment = Timestamp(text) { return (moment.date, false) }
        var words = text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
        if words.count == 1, let parts = Self.isoParts(words[0]) { words = parts }
        guard let last = words.last else { return nil }
        guard let time = TimeOfDay(last) else { return readWords(words) }
        words.removeLast()
        if words.last == "at" { words.removeLast() }
        guard let day = words.isEmpty ? today : readWords(words), day.isDay else { return nil }
        return at(time, on: day.date).map { ($0, false) }
    }

    /// `2026-11-21t15:00` as a date and a time.
    private static func isoParts(_ word: String) -> [String]? {
        let parts = word.split(separator: "t", omittingEmptySubsequences: false).map(String.init)
        return parts.count == 2 && parts[0].first?.isNumber == true && TimeOfDay(parts[1]) != nil ? parts : nil
    }

    private func readWords(_ words: [String]) -> Reading? {
        switch words.count {
        case 1: return keyword(words[0]) ?? isoDay(words[0]) ?? Distance(words[0]).flatMap(after)
        case 2 where words[0] == "next" || words[0] == "this": return named(words[1], isNext: words[0] == "next")
        case 2 where words[0] == "in": return Distance(words[1]).flatMap(after)
        case 2 where words[1] == "ago": return Distance(words[0]).flatMap { after($0.reversed) }
        case 2: return Distance(words.joined()).flatMap(after)
        case 3 where words[0] == "in": return Distance(words[1] + words[2]).flatMap(after)
        case 3 where words[2] == "ago": return Distance(words[0] + words[1]).flatMap { after($0.reversed) }
        default: return nil
        }
    }
}

// MARK: - Days

extension DateReader {
    private static let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    /// The words that stand for a date of their own.
    static let words =
        ["today", "tomorrow", "yesterday", "now"] + weekdays
        + ["sod", "eod", "sow", "eow", "som", "eom", "soy", "eoy"]

    private var today: Reading? { (calendar.startOfDay(for: now), true) }

    private func keyword(_ word: String) -> Reading? {
        switch word {
        case "now": (now, false)
        case "today", "sod": today
        case "tomorrow": day(1)
        case "yesterday": day(-1)
        case "sow": start(of: .weekOfYear)
        case "som": start(of: .month)
        case "soy": start(of: .year)
        case "eod": end(of: .day)
        case "eow": end(of: .weekOfYear)
        case "eom": end(of: .month)
        case "eoy": end(of: .year)
        default: weekday(word)
        }
    }

    private func named(_ word: String, isNext: Bool) -> Reading? {
        if let day = weekday(word) { return day }
        guard isNext, let unit = Distance.Unit(word), unit.isDays else { return nil }
        return calendar.date(byAdding: unit.component, value: 1, to: calendar.startOfDay(for: now)).map { ($0, true) }
    }

    private func day(_ offset: Int) -> Reading? {
        calendar.date(byAdding: .day, value: offset, to: calendar.startOfDay(for: now))
            .map { (calendar.startOfDay(for: $0), true) }
    }

    /// The first such day after today.
    private func weekday(_ word: String) -> Reading? {
        guard word.count >= 3, let index = Self.weekdays.firstIndex(where: { $0.hasPrefix(word) }) else { return nil }
        let distance = (index + 1 - calendar.component(.weekday, from: now) + 7) % 7
        return day(distance == 0 ? 7 : distance)
    }

    private func start(of unit: Calendar.Component) -> Reading? {
        calendar.dateInterval(of: unit, for: now).map { ($0.start, true) }
    }

    private func end(of unit: Calendar.Component) -> Reading? {
        calendar.dateInterval(of: unit, for: now).map { ($0.end.addingTimeInterval(-1), false) }
    }

    private func isoDay(_ word: String) -> Reading? {
        var reader = DigitReader(word)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.isAtEnd,
            // The calendar would take 2026-02-30 for a day in March.
            Timestamp(year: year, month: month, day: day, hour: 0, minute: 0, second: 0) != nil
        else { return nil }
        let components = DateComponents(year: year, month: month, day: day, hour: 12)
        return calendar.date(from: components).map { (calendar.startOfDay(for: $0), true) }
    }
}

// MARK: - Times and distances

extension DateReader {
    private func at(_ time: TimeOfDay, on day: Date) -> Date? {
        calendar.date(bySettingHour: time.hour, minute: time.minute, second: time.second, of: day)
    }

    private func after(_ distance: Distance) -> Reading? {
        calendar.date(byAdding: distance.unit.component, value: distance.count, to: now).map { ($0, false) }
    }
}

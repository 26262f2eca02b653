internal import Foundation
internal import Records

/// Days as people write them, in a time zone.
struct Days: Sendable {
    private let calendar: Calendar

    init(timeZone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        self.calendar = calendar
    }

    /// The day of a moment: `2026-11-21`.
    func text(of moment: Timestamp) -> String {
        let parts = calendar.dateComponents([.year, .month, .day], from: moment.date)
        return [(parts.year ?? 0, 4), (parts.month ?? 0, 2), (parts.day ?? 0, 2)]
            .map { $0.0.zeroPadded(to: $0.1) }.joined(separator: "-")
    }

    /// When a day begins; nil for a text that is no day.
    func start(of text: String) -> Timestamp? {
        guard text.utf8.count == 10, let noon = Timestamp(text + "T12:00:00Z") else { return nil }
        let numbers = text.split(separator: "-").compactMap { Int($0) }
        guard numbers.count == 3, noon.seconds > 0 else { return nil }
        let parts = DateComponents(year: numbers[0], month: numbers[1], day: numbers[2])
        return calendar.date(from: parts).map { calendar.startOfDay(for: $0) }.flatMap { Timestamp($0) }
    }

    /// A moment as RFC 3339, a day, or a day and a time of the clock: `2026-11-21 15:00`; nil for anything else.
    func moment(_ text: String) -> Timestamp? {
        if let moment = Timestamp(text) ?? start(of: text) { return moment }
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "T" }).map(String.init)
        guard parts.count == 2, let start = start(of: parts[0]),
            let clock = Timestamp("1970-01-01T" + parts[1] + (parts[1].utf8.count == 5 ? ":00Z" : "Z"))
        else { return nil }
        let (hour, minute) = (Int(clock.seconds / 3_600), Int(clock.seconds / 60 % 60))
        return calendar.date(
            bySettingHour: hour, minute: minute, second: Int(clock.seconds % 60), of: start.date
        ).flatMap { Timestamp($0) }
    }
}

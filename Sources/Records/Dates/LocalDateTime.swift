public import Foundation

/// A day with or without a time of day, as clocks show it, without a time zone.
public struct LocalDateTime: Sendable, Hashable {
    /// The day.
    public let day: CalendarDay
    /// The seconds since midnight, as clocks show them: 0 to 86,399; nil if the whole day is meant.
    public let secondOfDay: Int?

    /// Creates a time.
    ///
    /// - Parameters:
    ///   - day: The day.
    ///   - secondOfDay: The seconds since midnight; values outside 0...86,399 are clamped. Nil: the whole day.
    public init(_ day: CalendarDay, secondOfDay: Int? = nil) {
        self.day = day
        self.secondOfDay = secondOfDay.map { min(max($0, 0), 86_399) }
    }

    /// Parses `2026-12-24` or `2026-12-24T15:00:00`; nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, let day = CalendarDay(parts[0]) else { return nil }
        guard parts.count == 2 else {
            self.init(day)
            return
        }
        guard parts[1].utf8.count == 8, let clock = Timestamp("1970-01-01T\(parts[1])Z"), clock.seconds < 86_400 else {
            return nil
        }
        self.init(day, secondOfDay: Int(clock.seconds))
    }

    /// Creates the day and the time of day that clocks of a time zone show.
    public init(_ moment: Timestamp, in zone: TimeZone) {
        let clock = moment.seconds + zone.offset(at: moment.seconds)
        let day = CalendarDay(daysSince1970: Int((clock - (clock < 0 ? 86_399 : 0)) / 86_400))
        self.init(day, secondOfDay: Int(clock) - day.daysSince1970 * 86_400)
    }

    /// Returns the time at which clocks of a time zone show this; of a whole day, its midnight.
    ///
    /// It is the first one if clocks show it twice. If they skip it, the offset before the change counts: of a skipped
    /// hour, 02:30 is the time at which they show 03:30. Python's `datetime` decides in the same way (`fold=0`).
    public func moment(in zone: TimeZone) -> Timestamp {
        let clock = Int64(day.daysSince1970) * 86_400 + Int64(secondOfDay ?? 0)
        // Offsets are less than a day, so these are the offsets before and after a change of the clocks near this time.
        let before = zone.offset(at: clock - 86_400)
        let after = zone.offset(at: clock + 86_400)
        let isAfter = zone.offset(at: clock - before) != before && zone.offset(at: clock - after) == after
        return Timestamp(seconds: clock - (isAfter ? after : before))
    }
}

extension LocalDateTime: Comparable {
    /// Compares by day, then by time of day; a whole day is before the times of that day.
    public static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
        (left.day, left.secondOfDay ?? -1) < (right.day, right.secondOfDay ?? -1)
    }
}

extension LocalDateTime: CustomStringConvertible {
    /// The text of ISO 8601: `2026-12-24`, `2026-12-24T15:00:00`.
    public var description: String {
        guard let secondOfDay else { return day.description }
        var writer = DigitWriter()
        day.write(to: &writer)
        writer.append("T")
        writer.append(secondOfDay: secondOfDay)
        return writer.text
    }
}

extension TimeZone {
    /// Returns the offset from UTC in seconds at a time.
    fileprivate func offset(at seconds: Int64) -> Int64 {
        Int64(secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
    }
}

public import Foundation

/// A date as a person types it: `2026-11-21`, `tomorrow`, `friday 15:00`, `+3d`, `eow`.
///
/// - days: `today`, `tomorrow`, `yesterday`; `mon` to `sunday`, also with `next`: the first such day after today;
///   `2026-11-21`; they mean the start of the day, in the calendar's time zone
/// - times: `now`; `15:00`, `15:00:30` or `3pm`, alone (today) or after a day; `2026-11-21T15:00`, also with `Z` or `+01:00`
/// - distances from now: `3d`, `+2w`, `-1h`, `in 3 days`, `2 weeks ago`, `next month`; units are min, h, d, w, mo, y
/// - starts and ends (the last second) of the present day, week, month and year: `sod`, `eow`, `som`, `eoy`, …
///
/// A time that daylight saving skips is the one an hour later.
public struct DateExpression: Sendable, Equatable {
    /// The moment; of a day, its start.
    public let moment: Timestamp
    /// Whether no time of day was given, so that the whole day is meant where that matters.
    public let isDay: Bool

    /// When and where an expression is read.
    public struct Context: Sendable {
        let now: Date
        let calendar: Calendar

        /// Reads dates as seen at a moment in a time zone.
        ///
        /// - Parameters:
        ///   - now: the present moment.
        ///   - calendar: gives the time zone and the first day of the week; days are those of the Gregorian calendar.
        public init(now: Date, calendar: Calendar) {
            self.now = now
            var gregorian = Calendar(identifier: .gregorian)
            gregorian.timeZone = calendar.timeZone
            gregorian.firstWeekday = calendar.firstWeekday
            self.calendar = gregorian
        }
    }

    /// Reads an expression.
    ///
    /// - Throws: `DateError` if it is none.
    public init(_ text: String, in context: Context) throws(DateError) {
        let reader = DateReader(context: context)
        guard let read = reader.read(text), let moment = Timestamp(read.date) else { throw DateError(text: text) }
        self.moment = moment
        isDay = read.isDay
    }
}

/// A text that should be a date and isn't.
public struct DateError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was typed.
    public let text: String

    /// What to do, for the person.
    public var description: String {
        let nearest = Suggestion.nearest(text, among: DateReader.words).map { " Did you mean \"\($0)\"?" } ?? ""
        return "\"\(text)\" is no date that I know.\(nearest) "
            + "Write one like tomorrow, \"friday 15:00\", +3d, eow or 2026-11-21."
    }
}

extension Timestamp {
    /// The whole second of a date; nil outside the years 0000 to 9999.
    public init?(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds >= Double(Self.range.lowerBound), seconds <= Double(Self.range.upperBound) else { return nil }
        self.init(seconds: Int64(seconds))
    }

    /// The same moment for a calendar.
    public var date: Date { Date(timeIntervalSince1970: Double(seconds)) }
}

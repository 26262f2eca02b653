public import Foundation

/// A date as typed: `2026-11-21`, `tomorrow 5pm`, `first monday of december`, `+3d`, `eow`. The whole grammar, with
/// examples, is in the article <doc:Dates>.
///
/// - days: `today`, `mon`, `27 nov`, `15th`, `24.12.2026`, `2026-11-21`, `2026-W47-6`, `in two weeks`, `next month`,
///   `weekend`, `eom`, `last friday of month`, `easter`, `someday`: they mean the start of the day, in the calendar's
///   time zone
/// - times: `now`; `15:00`, `3pm`, `noon` or `morning`, alone, after a day or before it; `2026-11-21T15:00`, also with
///   `Z` or `+01:00`; `2h`, `in half an hour`, counted from now; `midnight`, the next one
/// - sums: `tomorrow+2h`, `eom-3d`
///
/// A time that clocks show twice means the first of the two; a time that they skip means the time at which they
/// continue.
public struct DateExpression: Sendable, Equatable {
    /// The time; of a day, its start.
    public let moment: Timestamp
    /// Whether no time of day was given, so that the whole day is meant where that matters.
    public let isDay: Bool
    /// The value that a date field stores: a day if no time of day was given, else the time with the context's time
    /// zone. A text with an offset from UTC has the time zone that it names, or none.
    public let value: DateValue

    /// The time and the calendar with which an expression is read, and the style in which dates are shown.
    public struct Context: Sendable {
        /// The present time.
        public let now: Date
        /// The Gregorian calendar with the time zone and the first day of the week.
        public let calendar: Calendar
        let style: DateWords.Style

        /// Creates a context.
        ///
        /// - Parameters:
        ///   - now: The present time.
        ///   - calendar: The source of the time zone and the first day of the week; days are those of the Gregorian
        ///     calendar.
        ///   - style: The style of ``DateWords``.
        public init(now: Date, calendar: Calendar, style: DateWords.Style = .relative) {
            (self.now, self.style) = (now, style)
            // The user's calendar may be another one, such as the Buddhist, with other years.
            var gregorian = LocalTime.calendar(in: calendar.timeZone)
            gregorian.firstWeekday = calendar.firstWeekday
            self.calendar = gregorian
        }
    }

    /// The meaning of a time without a day, such as `3am`, when it is past. New cases may be added.
    public enum PastTime: Sendable {
        /// The time of today: in a filter, `due<3am` compares with today's.
        case allowed
        /// The time of tomorrow: a task that is added at 03:43 can't be meant for 03:00 of the same day.
        case nextDay
    }

    /// Parses an expression.
    ///
    /// - Parameters:
    ///   - text: The typed text.
    ///   - context: The time and the calendar.
    ///   - past: The meaning of a time without a day when it is past.
    /// - Throws: `DateError` if the text isn't a date, or if it has two meanings.
    public init(_ text: String, in context: Context, past: PastTime = .allowed) throws(DateError) {
        let reader = DateReader(context: context, past: past)
        guard let expression = DateExpression(text, reader) else { throw DateError(text, reader) }
        self = expression
    }

    /// Parses an expression without the cost of an error; nil if the text isn't a date.
    init?(_ text: String, _ reader: DateReader) {
        guard let read = reader.read(text), let moment = Timestamp(read.date) else { return nil }
        self.moment = moment
        isDay = read.isDay
        value =
            read.isDay
            ? .day(CalendarDay(read.date, in: reader.context.calendar))
            : DateReader.timeWithOffset(text) ?? .time(moment, zone: ZoneName(reader.context.calendar.timeZone))
    }
}

extension Timestamp {
    /// Creates the whole second of a date; nil outside the years 0000 to 9999.
    public init?(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds >= Double(Self.range.lowerBound), seconds <= Double(Self.range.upperBound) else { return nil }
        self.init(seconds: Int64(seconds))
    }

    /// The whole second of a date; one outside the years 0000 to 9999 becomes the nearest in them.
    public init(clamping date: Date) {
        self = Timestamp(date) ?? Timestamp(seconds: date < Date(timeIntervalSince1970: 0) ? .min : .max)
    }

    /// The same time as a `Date`.
    public var date: Date { Date(timeIntervalSince1970: Double(seconds)) }
}

public import Foundation
internal import TextMerge

/// A date as typed: `2026-11-21`, `tomorrow`, `friday 15:00`, `+3d`, `eow`. The whole grammar, with examples, is in the
/// article <doc:Dates>.
///
/// - days: `today`, `tomorrow`, `yesterday`; `mon` to `sunday`, also with `next`: the first such day after today; `27
///   nov`; `2026-11-21`, `2026-W47-6`; `3d`, `+2w`, `in 3 days`, `2 weeks ago`, `next month`; `sow`, `start of month`:
///   they mean the start of the day, in the calendar's time zone
/// - times: `now`; `15:00`, `15:00:30`, `3pm` or `noon`, alone (today) or after a day; `2026-11-21T15:00`, also with
///   `Z` or `+01:00`; `2h`, `in 30 min`, counted from now
/// - ends (the last second) of the present day, week, month and year: `eod`, `eow`, `end of month`, …
///
/// A time that clocks show twice means the first of the two; a time that they skip means the time at which they
/// continue.
public struct DateExpression: Sendable, Equatable {
    /// The time; of a day, its start.
    public let moment: Timestamp
    /// Whether no time of day was given, so that the whole day is meant where that matters.
    public let isDay: Bool

    /// The time and the calendar with which an expression is read.
    public struct Context: Sendable {
        let now: Date
        let calendar: Calendar

        /// Creates a context.
        ///
        /// - Parameters:
        ///   - now: The present time.
        ///   - calendar: The source of the time zone and the first day of the week; days are those of the Gregorian
        ///     calendar.
        public init(now: Date, calendar: Calendar) {
            self.now = now
            // The user's calendar may be another one, such as the Buddhist, with other years.
            var gregorian = LocalTime.calendar(in: calendar.timeZone)
            gregorian.firstWeekday = calendar.firstWeekday
            self.calendar = gregorian
        }
    }

    /// Parses an expression.
    ///
    /// - Parameters:
    ///   - text: The typed text.
    ///   - context: The time and the calendar.
    /// - Throws: `DateError` if the text isn't a date.
    public init(_ text: String, in context: Context) throws(DateError) {
        let reader = DateReader(context: context)
        guard let read = reader.read(text), let moment = Timestamp(read.date) else { throw DateError(text: text) }
        self.moment = moment
        isDay = read.isDay
    }
}

/// The error of a text that isn't a date.
public struct DateError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The typed text.
    public let text: String

    /// The message for the user, with what to do.
    public var description: String {
        if let count = text.wholeMatch(of: /([+-]?[0-9]+)m/)?.1 {
            return "“\(text)” could be minutes or months. Write \(count)min or \(count)mo."
        }
        let nearest = Suggestion.nearest(text, among: DateReader.words).map { " Did you mean “\($0)”?" } ?? ""
        return "Can't read “\(text)” as a date.\(nearest) "
            + "Write one like tomorrow, \"friday 15:00\", +3d, eow or 2026-11-21."
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

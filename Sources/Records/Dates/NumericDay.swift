internal import Foundation

/// A day in digits with slashes or dots: `15/1/2027`, `2027/01/15`, `15.1.`.
///
/// With dots the day comes first. With slashes it depends on the country, so both orders are read.
struct NumericDay {
    /// A day of a month.
    struct Reading: Equatable {
        let day: Int
        let month: Int
    }

    /// The different days that it can mean: one or two.
    let readings: [Reading]
    /// The year; nil: none is written.
    let year: Int?

    /// Parses a word; nil if it has another form, or if there is no such day.
    init?(_ word: String) {
        var reader = DigitReader(word)
        var year: Int?
        if reader.digitCount == 4 {
            year = reader.number(4)
            guard reader.skip("/") else { return nil }
        }
        let isYearFirst = year != nil
        guard let first = reader.oneOrTwoDigits() else { return nil }
        let isDotted = !isYearFirst && reader.skip(".")
        guard isDotted || reader.skip("/"), let second = reader.oneOrTwoDigits() else { return nil }
        if !isYearFirst, reader.skip(isDotted ? "." : "/"), !(isDotted && reader.isAtEnd) {
            guard let number = reader.number(4) else { return nil }
            year = number
        }
        guard reader.isAtEnd else { return nil }
        var readings: [Reading] = []
        if !isYearFirst { readings.append(Reading(day: first, month: second)) }
        if !isDotted, isYearFirst || first != second { readings.append(Reading(day: second, month: first)) }
        // A leap year, if none is written: 29/2 is a day of some year.
        readings = readings.filter {
            Timestamp(year: year ?? 2_024, month: $0.month, day: $0.day, hour: 0, minute: 0, second: 0) != nil
        }
        if readings.isEmpty { return nil }
        self.readings = readings
        self.year = year
    }
}

extension DigitReader {
    fileprivate mutating func oneOrTwoDigits() -> Int? { number(min(2, max(1, digitCount))) }
}

extension DateExpression.Context {
    /// Returns the day that a word in digits means; nil if it isn't one, or if it can mean two.
    func numericDay(_ word: String) -> Date? {
        guard let day = NumericDay(word), day.readings.count == 1 else { return nil }
        return date(of: day.readings[0], year: day.year)
    }

    /// Returns a day of a year; without a year, the next such day, today included.
    func date(of reading: NumericDay.Reading, year: Int?) -> Date? {
        if let year { return start(year: year, month: reading.month, day: reading.day) }
        return next(month: reading.month, day: reading.day)
    }
}

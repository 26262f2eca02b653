internal import Foundation

// Easter and the days that are counted from it.
extension DateExpression.Context {
    /// The names of the days, and their distances from Easter Sunday in days.
    private static let feasts = [
        "good friday": -2, "goodfriday": -2, "easter": 0, "easter sunday": 0, "easter monday": 1, "eastermonday": 1,
        "ascension": 39, "pentecost": 49,
    ]

    /// Parses `easter` or `easter 2027`. Without a year, the next such day is meant, today included.
    func feast(_ words: [String]) -> Date? {
        if let offset = Self.feasts[words.joined(separator: " ")] {
            let (today, year) = (calendar.startOfDay(for: now), calendar.component(.year, from: now))
            return [year, year + 1].compactMap { feast(offset, in: $0) }.first { $0 >= today }
        }
        guard let last = words.last, let year = Self.year(last),
            let offset = Self.feasts[words.dropLast().joined(separator: " ")]
        else { return nil }
        return feast(offset, in: year)
    }

    private func feast(_ offset: Int, in year: Int) -> Date? {
        let easter = Self.easter(in: year)
        return start(year: year, month: easter.month, day: easter.day).flatMap { start(days: offset, after: $0) }
    }

    /// Returns Easter Sunday of the Gregorian calendar: the anonymous algorithm of 1876 (Meeus, "Astronomical
    /// Algorithms", chapter 8). The letters are those of the book.
    private static func easter(in year: Int) -> NumericDay.Reading {
        let (a, b, c) = (year % 19, year / 100, year % 100)
        let g = (8 * b + 13) / 25
        let h = (19 * a + b - b / 4 - g + 15) % 30
        let l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7
        let m = (a + 11 * h + 22 * l) / 451
        let days = h + l - 7 * m + 114
        return NumericDay.Reading(day: days % 31 + 1, month: days / 31)
    }
}

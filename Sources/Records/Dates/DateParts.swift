internal import Foundation

/// A time of day: `15:00`, `9:05:30`, `3pm`, `11:30am`, `noon`, `morning`.
struct TimeOfDay: Equatable {
    let hour: Int
    let minute: Int
    let second: Int

    /// The parts of a day, and the times that their names mean.
    private static let parts = ["morning": "09:00", "afternoon": "15:00", "evening": "18:00", "night": "20:00"]

    /// The last minute of a day.
    static let endOfDay = TimeOfDay(hour: 23, minute: 59)

    private init(hour: Int, minute: Int) { (self.hour, self.minute, second) = (hour, minute, 0) }

    init?(_ text: String) {
        let text = text == "noon" ? "12:00" : Self.parts[text] ?? text
        let half = ["am", "pm"].first { text.hasSuffix($0) }
        var reader = DigitReader(text.dropLast(half == nil ? 0 : 2))
        guard let hour = reader.number(min(2, max(1, reader.digitCount))) else { return nil }
        var parts = [0, 0]
        var count = 0
        while count < 2, reader.skip(":") {
            guard let number = reader.number(2), number < 60 else { return nil }
            parts[count] = number
            count += 1
        }
        // A number alone, such as `15`, is not a time.
        guard reader.isAtEnd, half != nil || count > 0 else { return nil }
        switch half {
        case nil where hour < 24: self.hour = hour
        // 12am is midnight and 12pm is noon.
        case "am" where (1...12).contains(hour): self.hour = hour % 12
        case "pm" where (1...12).contains(hour): self.hour = hour % 12 + 12
        default: return nil
        }
        (minute, second) = (parts[0], parts[1])
    }

    /// Returns whether a number alone is an hour of the afternoon, the evening or midnight: 13 to 23, or 0.
    static func isHour(_ word: String) -> Bool {
        word.utf8.count <= 2 && Int(word).map { $0 == 0 || (13...23).contains($0) } ?? false
    }

    /// Returns whether a word is the name of a part of the day: `morning`.
    static func isPart(_ word: String) -> Bool { parts[word] != nil }

    /// Returns whether the time can belong to a part of the day: the morning is before noon, the others are after it.
    func isIn(_ part: String) -> Bool { (hour < 12) == (part == "morning") }
}

/// A number of units: `3d`, `+2weeks`, `-1h`.
struct Distance: Equatable {
    let count: Int
    let unit: Unit

    enum Unit: CaseIterable {
        case minute, hour, day, week, month, year

        init?(_ word: String) {
            guard let unit = Unit.allCases.first(where: { $0.names.contains(word) }) else { return nil }
            self = unit
        }

        var names: [String] {
            switch self {
            case .minute: ["min", "mins", "minute", "minutes"]
            case .hour: ["h", "hr", "hrs", "hour", "hours"]
            case .day: ["d", "day", "days"]
            case .week: ["w", "wk", "wks", "week", "weeks"]
            case .month: ["mo", "month", "months"]
            case .year: ["y", "yr", "yrs", "year", "years"]
            }
        }

        var component: Calendar.Component {
            switch self {
            case .minute: .minute
            case .hour: .hour
            case .day: .day
            case .week: .weekOfYear
            case .month: .month
            case .year: .year
            }
        }

        /// Whether it consists of whole days, so that adding it keeps the time of day.
        var isDays: Bool {
            switch self {
            case .minute, .hour: false
            case .day, .week, .month, .year: true
            }
        }
    }

    init?(_ text: String) {
        let isNegative = text.hasPrefix("-")
        let unsigned = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        let digits = unsigned.prefix { $0.isASCII && $0.isNumber }
        // A bound for the arithmetic of the calendar: a million days are nearly 3,000 years.
        guard digits.count <= 6, let count = Int(digits), let unit = Unit(String(unsigned.dropFirst(digits.count)))
        else { return nil }
        self.init(count: isNegative ? -count : count, unit: unit)
    }

    /// Parses a distance in words: `3 days`, `two weeks`, `an hour`, `half an hour`.
    init?(words: [String]) {
        if words == ["half", "an", "hour"] {
            self.init(count: 30, unit: .minute)
        } else if words.count == 2, let count = Self.counts[words[0]], let unit = Unit(words[1]) {
            self.init(count: count, unit: unit)
        } else if words.count == 1 || words.count == 2 {
            self.init(words.joined())
        } else {
            return nil
        }
    }

    init(count: Int, unit: Unit) {
        self.count = count
        self.unit = unit
    }

    /// The numbers that are written as words.
    static let counts = [
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
        "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
    ]

    var reversed: Distance { Distance(count: -count, unit: unit) }
}

/// A position in a row of days: `first`, `3rd`, `last`.
enum Ordinal {
    /// The positions that are written as words; those after them have digits.
    static let words = ["first", "second", "third", "fourth", "fifth"]

    /// Returns the number of a word; -1 for `last`, nil if it isn't an ordinal.
    static func number(_ word: String) -> Int? {
        if word == "last" { return -1 }
        if let index = words.firstIndex(of: word) { return index + 1 }
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard digits.count <= 3, let number = Int(digits) else { return nil }
        let suffix =
            switch number % 10 {
            case _ where (11...13).contains(number % 100): "th"
            case 1: "st"
            case 2: "nd"
            case 3: "rd"
            default: "th"
            }
        return word.dropFirst(digits.count) == suffix ? number : nil
    }
}

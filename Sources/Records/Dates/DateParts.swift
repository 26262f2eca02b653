internal import Foundation

/// A time of day: `15:00`, `9:05:30`, `3pm`, `11:30am`, `noon`.
struct TimeOfDay: Equatable {
    let hour: Int
    let minute: Int
    let second: Int

    init?(_ text: String) {
        let text = text == "noon" ? "12:00" : text
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

        private var names: [String] {
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

    init(count: Int, unit: Unit) {
        self.count = count
        self.unit = unit
    }

    var reversed: Distance { Distance(count: -count, unit: unit) }
}

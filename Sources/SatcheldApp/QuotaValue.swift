import ArgumentParser
import ServerCore

/// A limit as the owner writes it: a number, `unlimited`, or, for one account, `default`.
struct QuotaValue: ExpressibleByArgument, Equatable {
    /// The limit; nil: the server's.
    let limit: Int64?

    /// The limit in words, for errors.
    static let words = "a number, such as 5000, or with K, M, G or T for powers of 1024; or unlimited"

    /// Creates a limit; nil if the text has another form.
    init?(argument: String) {
        switch argument {
        case "default": limit = nil
        case "unlimited": limit = QuotaRules.unlimited
        default:
            guard let number = Self.number(argument) else { return nil }
            limit = number
        }
    }

    /// Returns a number of bytes or of other things: digits, and a letter for a power of 1024.
    static func number(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
        let unit = text.last.flatMap { units[Character($0.uppercased())] }
        let digits = unit == nil ? text[...] : text.dropLast()
        // `Int64` would accept a sign.
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(digits)
        else { return nil }
        let (product, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
        return isTooLarge ? nil : product
    }
}

/// Numbers for a person.
enum Shown {
    /// Returns a number of bytes in the largest unit that it has one of, with one decimal: `1.5 MiB`.
    static func bytes(_ count: Int64) -> String {
        var (value, unit) = (count, 0)
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var rest: Int64 = 0
        while value >= 1_024, unit < units.count - 1 {
            rest = value % 1_024
            value /= 1_024
            unit += 1
        }
        return unit == 0 || rest == 0 ? "\(value) \(units[unit])" : "\(value).\(rest * 10 / 1_024) \(units[unit])"
    }

    /// Returns a limit of an account: a number or `unlimited`, marked if it is the server's.
    ///
    /// - Parameters:
    ///   - own: The account's own limit.
    ///   - rule: The server's limit.
    static func limit(_ own: Int64?, default rule: Int64, _ number: (Int64) -> String = { "\($0)" }) -> String {
        let limit = own ?? rule
        let words = limit == QuotaRules.unlimited ? "unlimited" : number(limit)
        return own == nil ? "\(words) (default)" : words
    }
}

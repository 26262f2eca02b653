/// Reads fixed numbers of digits from the front of a text.
struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: some StringProtocol) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// How many digits come next.
    var digitCount: Int { rest.prefix { Self.isDigit($0) }.count }

    /// The number in exactly `count` digits; nil, and nothing is consumed, if there are fewer.
    mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Steps over a character if it comes next.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Steps over `.` and digits, if they come next; false for a dot without digits.
    mutating func skipFraction() -> Bool {
        guard skip(".") else { return true }
        let count = digitCount
        rest = rest.dropFirst(count)
        return count > 0
    }

    /// The seconds that `Z`, `+01:00` or `-0330` are ahead of UTC.
    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(2) else { return nil }
        _ = skip(":")
        guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

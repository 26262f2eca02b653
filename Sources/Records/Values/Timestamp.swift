package import Foundation

/// A time in whole seconds, on the wire as RFC 3339 in UTC: `2026-11-21T05:22:00Z`, years 0000 to 9999.
///
/// It uses its own arithmetic instead of a formatter, since it is parsed for every row of a list.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds.
    public let seconds: Int64

    /// The times that have a text.
    public static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Creates a time; one outside `range` becomes the nearest in it.
    public init(seconds: Int64) {
        self.seconds = min(max(seconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// The whole second of a number of milliseconds since 1970.
    public init(milliseconds: UInt64) { self.init(seconds: Int64(clamping: milliseconds / 1_000)) }

    /// Parses RFC 3339: `2026-11-21T05:22:00Z`, with a fraction (dropped) or an offset such as `+01:00`; nil for any
    /// other text.
    public init?(_ text: String) {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T") || reader.skip("t"), let hour = reader.number(2),
            reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
            reader.skipFraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second, offset: offset)
    }

    /// Parses the compact form of ISO 8601 in UTC, as Taskwarrior writes it: `20261121T052200Z`; nil for any other
    /// text.
    public init?(compact text: String) {
        var reader = DigitReader(text)
        guard let year = reader.number(4), let month = reader.number(2), let day = reader.number(2), reader.skip("T"),
            let hour = reader.number(2), let minute = reader.number(2), let second = reader.number(2), reader.skip("Z"),
            reader.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// Creates a time of the Gregorian calendar; nil if there is no such day or time. A leap second becomes the second
    /// after it.
    ///
    /// - Parameter offset: The offset from UTC, in seconds; positive in the east.
    public init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, offset: Int = 0) {
        guard let day = CalendarDay(year: year, month: month, day: day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let time = hour * 3_600 + minute * 60 + second - offset
        let seconds = Int64(day.daysSince1970 * 86_400 + time)
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Compares by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.seconds < right.seconds }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC with whole seconds.
    public var description: String {
        // Rounds down, also before 1970: Swift's division rounds toward zero.
        let days = Int(seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400)
        let time = Int(seconds) - days * 86_400
        var writer = DigitWriter()
        CalendarDay(daysSince1970: days).write(to: &writer)
        writer.append("T")
        writer.append(secondOfDay: time)
        writer.append("Z")
        return writer.text
    }
}

extension Timestamp: Codable {
    /// Decodes a text of RFC 3339.
    ///
    /// - Throws: `DecodingError` for any other value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let time = Timestamp(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text isn't RFC 3339.")
        }
        self = time
    }

    /// Encodes the time as its `description`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Timestamp {
    /// Returns RFC 3339 in UTC with milliseconds, for example `2026-11-21T05:22:00.123Z`: the form of the wire's
    /// `modifiedAt`.
    ///
    /// - Parameter milliseconds: The time since 1970-01-01T00:00:00Z; outside `range`, the nearest second in it.
    public static func text(milliseconds: Int64) -> String {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        let (seconds, fraction) = remainder < 0 ? (quotient - 1, remainder + 1_000) : (quotient, remainder)
        return Timestamp(seconds: seconds).description.dropLast() + ".\(fraction.zeroPadded(to: 3))Z"
    }
}

extension BinaryInteger {
    /// Returns the digits of a number that isn't negative, with leading zeros up to `width`.
    package func zeroPadded(to width: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }

    /// Returns the number with its noun: `1 record`, `2 records`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

/// Writes fixed numbers of digits: the counterpart of `DigitReader`. A record has several dates, so these are written
/// without a text for each of their parts.
struct DigitWriter {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(32) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ character: Unicode.Scalar) { bytes.append(UInt8(ascii: character)) }

    /// Appends a time of day: `15:00:00`.
    mutating func append(secondOfDay: Int) {
        append(secondOfDay / 3_600, digits: 2)
        append(":")
        append(secondOfDay / 60 % 60, digits: 2)
        append(":")
        append(secondOfDay % 60, digits: 2)
    }

    /// Appends the last `digits` digits of a number that isn't negative, with leading zeros.
    mutating func append(_ number: Int, digits: Int) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends the last `digits` hexadecimal digits of a number, with leading zeros.
    mutating func append(hexadecimal number: UInt64, digits: Int) {
        for place in stride(from: digits - 1, through: 0, by: -1) {
            bytes.append(HexDigits.digit(UInt8(number >> (4 * UInt64(place)) & 0xF)))
        }
    }
}

/// Reads fixed numbers of digits from the front of a text.
struct DigitReader {
    private let bytes: [UInt8]
    /// The index of the next byte.
    private var next = 0

    init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { next == bytes.count }

    /// The number of digits that come next.
    var digitCount: Int { bytes[next...].prefix { Self.isDigit($0) }.count }

    /// Reads the number in exactly `count` digits; if there are fewer, returns nil and consumes nothing.
    mutating func number(_ count: Int) -> Int? {
        guard bytes.count - next >= count else { return nil }
        var number = 0
        for byte in bytes[next..<next + count] {
            guard Self.isDigit(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        next += count
        return number
    }

    /// Skips a character if it comes next; else returns false.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next < bytes.count, UInt32(bytes[next]) == character.value else { return false }
        next += 1
        return true
    }

    /// Skips `.` and digits if they come next; returns false for a dot without digits.
    mutating func skipFraction() -> Bool {
        guard skip(".") else { return true }
        let count = digitCount
        next += count
        return count > 0
    }

    /// Reads `Z`, `+01:00` or `-0330` and returns the offset from UTC in seconds; nil if there is none.
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

extension Date {
    /// Parses an RFC 3339 date with or without a fraction of a second; nil for any other text.
    package init?(rfc3339 text: String) {
        let forms = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        // `try?`: a text that one style can't parse may have the other form; a text of neither form is nil.
        guard let date = forms.lazy.compactMap({ try? $0.parse(text) }).first else { return nil }
        self = date
    }
}

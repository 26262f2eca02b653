/// A JSON number that keeps the text it was written with. Two numbers are equal if they are the same binary64 (RFC 7493
/// section 2.2, RFC 8785).
public struct JSONNumber: Sendable, Equatable {
    /// The number as written, for example `1.50` or `12345678901234567890`.
    public let text: String

    /// Creates a number from a text that the parser has checked against the grammar of RFC 8259 section 6.
    init(checked text: String) { self.text = text }

    /// Creates a whole number.
    public init(_ value: Int64) { text = String(value) }

    /// Creates a finite number; nil for NaN and infinities, which JSON can't represent.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = Self.canonicalText(value)
    }

    /// The value as a binary64.
    public var double: Double { Double(text) ?? .nan }

    /// The value as a whole number; nil if it isn't one in the range of `Int64`.
    public var integer: Int64? { Int64(text) ?? Int64(exactly: double) }

    /// The form of RFC 8785 section 3.2.2.3 (ECMAScript's `Number::toString`).
    public var canonical: String {
        // At most 15 digits are exact in binary64 and already in canonical form, except "-0", which is written "0".
        if text.utf8.count <= 15, text != "-0", text.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) }) {
            return text
        }
        return Self.canonicalText(double)
    }

    /// Whether both are the same binary64.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        left.text == right.text || left.double == right.double
    }

    /// The form of ECMAScript: a plain decimal from 10^-6 to below 10^21, else with an exponent.
    private static func canonicalText(_ value: Double) -> String {
        if value == 0 { return "0" }
        let (digits, point) = shortestDigits(value.magnitude)
        let count = digits.count
        let body: String
        switch point {
        // A binary64 has at most 17 digits, so the range is never reversed, which would be a runtime error.
        case count...21 where count <= point:
            body = digits + String(repeating: "0", count: point - count)
        case 1...21:
            body = digits.prefix(point) + "." + digits.dropFirst(point)
        case -5...0:
            body = "0." + String(repeating: "0", count: -point) + digits
        default:
            let exponent = point - 1
            let mantissa = count == 1 ? digits : digits.prefix(1) + "." + digits.dropFirst()
            body = mantissa + (exponent < 0 ? "e-" : "e+") + String(exponent.magnitude)
        }
        return value < 0 ? "-" + body : body
    }

    /// Returns the shortest digits that reproduce `value`, and the position of the point: value = 0.digits × 10^point.
    private static func shortestDigits(_ value: Double) -> (digits: String, point: Int) {
        // Swift prints the shortest digits that round-trip; only their layout differs from ECMAScript's.
        let parts = value.description.split(separator: "e")
        let exponent = parts.count == 2 ? Int(parts[1]) ?? 0 : 0
        let halves = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = halves.count == 2 ? halves[1] : ""
        let all = String(halves[0]) + fraction
        let leading = all.prefix { $0 == "0" }.count
        var digits = all.dropFirst(leading)
        while digits.last == "0" { digits.removeLast() }
        return (String(digits), halves[0].count + exponent - leading)
    }
}

/// Hexadecimal digits as ASCII bytes.
enum HexDigits {
    /// Returns the lower-case digit of a number in 0...15.
    static func digit(_ number: UInt8) -> UInt8 {
        number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
    }

    /// Returns whether a byte is a digit of either case.
    static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// Returns the number that lower-case digits stand for; nil if another byte is among them. At most 16 digits.
    static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> UInt64? {
        var number: UInt64 = 0
        for byte in digits {
            guard let value = value(of: byte) else { return nil }
            number = number << 4 | UInt64(value)
        }
        return number
    }

    private static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

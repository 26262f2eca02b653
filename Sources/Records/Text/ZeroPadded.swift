extension BinaryInteger {
    /// The digits of a number that isn't negative, with zeros in front up to `width`.
    package func zeroPadded(to width: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

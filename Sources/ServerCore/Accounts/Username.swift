/// A user name: 1 to 64 of `[a-z0-9._-]`, the first a letter or digit. Capital letters are taken for small ones.
struct Username: Sendable, Equatable {
    /// In lower case.
    let text: String

    /// Nil if the text has another form.
    init?(_ text: String) {
        let bytes = text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        guard (1...64).contains(bytes.count), let first = bytes.first, Self.isAlphanumeric(first),
            bytes.allSatisfy({ Self.isAlphanumeric($0) || "._-".utf8.contains($0) })
        else { return nil }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// A random code of 150 bits that a person can read out and type, such as `h4kq7-wz2nd-8rmtx-c6jvp-3yb9e-t0gsa`. The
/// server stores only its SHA-256, so that codes of another length stay valid.
package struct ReadableCode: Sendable {
    /// The code with its dashes.
    package let text: String

    /// Crockford's Base32: digits, and letters without those that look like digits.
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    /// At least 128 bits together, of 5 bits for each letter (OWASP ASVS 11.5.1).
    private static let groups = 6
    private static let groupLength = 5

    /// Returns a new code.
    package static func make(_ environment: ServerEnvironment) -> ReadableCode {
        // The alphabet has 32 characters: the low bits of a random byte choose each equally often.
        let letters = environment.randomBytes(groups * groupLength).map { alphabet[Int($0) % alphabet.count] }
        let parts = stride(from: 0, to: letters.count, by: groupLength).map { letters[$0..<($0 + groupLength)] }
        return ReadableCode(text: parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-"))
    }

    /// Returns the SHA-256 of a code as a person typed it: case, dashes and spaces don't count, and `o`, `i` and `l` are
    /// digits. For 150 random bits, a fast hash without a salt suffices.
    ///
    /// A code is looked up by its hash, so that the time doesn't show how much of a guess is right.
    package static func hash(_ typed: String) -> [UInt8] {
        let letters = typed.utf8.compactMap { byte -> UInt8? in
            switch byte | 0x20 {
            case _ where byte == UInt8(ascii: "-") || byte == UInt8(ascii: " "): nil
            case UInt8(ascii: "o"): UInt8(ascii: "0")
            case UInt8(ascii: "i"), UInt8(ascii: "l"): UInt8(ascii: "1")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte | 0x20
            default: byte
            }
        }
        return OpaqueToken.hash(String(decoding: letters, as: UTF8.self))
    }
}

internal import Crypto
internal import Foundation

/// Secrets that stand for a right: links, sessions, forms.
enum Token {
    /// 256 bits from the system's random source, in the alphabet for URLs (RFC 4648, section 5).
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return encode((0..<4).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } })
    }

    /// The SHA-256 of a text, in the same alphabet.
    static func digest(of text: String) -> String { encode(Array(SHA256.hash(data: Data(text.utf8)))) }

    /// Whether two tokens are the same. The time that it takes doesn't depend on where they differ: their digests are compared,
    /// whole.
    static func areSame(_ left: String, _ right: String) -> Bool {
        let pairs = zip(SHA256.hash(data: Data(left.utf8)), SHA256.hash(data: Data(right.utf8)))
        return pairs.reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

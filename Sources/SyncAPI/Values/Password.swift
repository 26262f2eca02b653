internal import Foundation

/// A password of an acceptable length. It doesn't describe itself, so that no log shows it.
public struct Password: Sendable {
    /// The UTF-8 of the text's normal form (NFC), so that a password is the same from every keyboard.
    public let bytes: [UInt8]

    /// Nil if the normalised text is too short or too long (`Limits.passwordBytes`).
    public init?(_ text: String) {
        // Normalising can shorten a text by a small factor only; what is far too long isn't worth the work.
        guard text.utf8.count <= 4 * Limits.passwordBytes.upperBound else { return nil }
        let bytes = Array(text.precomposedStringWithCanonicalMapping.utf8)
        guard Limits.passwordBytes.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }
}

internal import Foundation
internal import SyncAPI

/// A password as it is hashed: any Unicode, normalised to NFC, 8 to 1,024 bytes of UTF-8.
///
/// It has no description, so that it can't get into a log by accident.
struct Password: Sendable {
    let bytes: [UInt8]

    /// Nil if the normalised text is too short or too long.
    init?(_ text: String) {
        // Normalising can shorten a text by a small factor only; what is far too long isn't worth the work.
        guard text.utf8.count <= 4 * Limits.passwordBytes.upperBound else { return nil }
        let bytes = Array(text.precomposedStringWithCanonicalMapping.utf8)
        guard Limits.passwordBytes.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }
}

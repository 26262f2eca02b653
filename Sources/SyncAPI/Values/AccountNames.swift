internal import Foundation

/// A user name: 1 to 64 of `[a-z0-9._-]`, the first a letter or digit. Capital letters are lowered.
package struct Username: Sendable, Equatable {
    /// In lower case.
    package let text: String

    /// Nil if the text has another form.
    package init?(_ text: String) {
        let text = Self.folded(text)
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first, Self.isAlphanumeric(first),
            text.utf8.allSatisfy({ Self.isAlphanumeric($0) || "._-".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// The text with `A` to `Z` as small letters: names that are the same so are one account's. Other scripts stay as
    /// they are, since no name has them.
    package static func folded(_ text: String) -> String {
        let bytes = text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

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

/// What a member of a space may do.
public enum Role: String, Codable, Sendable, CaseIterable {
    /// Everything; reading and writing; reading alone.
    case owner, editor, reader

    /// Whether it may change records.
    public var mayWrite: Bool {
        switch self {
        case .owner, .editor: true
        case .reader: false
        }
    }
}

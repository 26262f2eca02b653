internal import Foundation

/// A user name: 1 to 64 of `[a-z0-9._-]`, the first a letter or digit. Capital letters are lowered.
package struct Username: Sendable, Equatable {
    /// The name in lower case.
    package let text: String

    /// Creates a name; nil if the text has another form.
    package init?(_ text: String) {
        let text = Self.folded(text)
        guard (1...64).contains(text.utf8.count), let first = text.utf8.first, Self.isAlphanumeric(first),
            text.utf8.allSatisfy({ Self.isAlphanumeric($0) || "._-".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    /// Returns the text with `A` to `Z` as small letters: names that are then equal belong to one account. Other
    /// characters are unchanged, since no name contains them.
    package static func folded(_ text: String) -> String {
        // Not `lowercased()`, which maps other characters to ASCII, too: the Kelvin sign to "k".
        let bytes = text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

/// The rules for the name of a device or an app password.
package enum DeviceName {
    /// The length in bytes of UTF-8.
    package static let bytes = 1...256

    /// Returns whether a text can be a name.
    package static func isValid(_ text: String) -> Bool { bytes.contains(text.utf8.count) && isLine(text) }

    /// Returns whether a text has no line breaks and no other control characters, which lists of devices can't show.
    package static func isLine(_ text: String) -> Bool {
        !text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }
}

/// A password of an acceptable length. It has no description, so that no log shows it.
public struct Password: Sendable {
    /// The UTF-8 of the text's normal form (NFC), so that a password is the same from every keyboard.
    public let bytes: [UInt8]

    /// Creates a password; nil if the normalised text is too short or too long (`Limits.passwordBytes`).
    public init?(_ text: String) {
        // Normalising shortens a text by a small factor at most, so that a text of this length is refused without the
        // work.
        guard text.utf8.count <= 4 * Limits.passwordBytes.upperBound else { return nil }
        let bytes = Array(text.precomposedStringWithCanonicalMapping.utf8)
        guard Limits.passwordBytes.contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Creates a new password, which also has at least `Limits.passwordCharacters`; nil if it is too short or too long.
    public init?(new text: String) {
        self.init(text)
        guard Self.characters(of: text) >= Limits.passwordCharacters else { return nil }
    }

    /// Returns the length of a text in characters, which are the Unicode scalars of its normal form (NFC).
    public static func characters(of text: String) -> Int {
        text.precomposedStringWithCanonicalMapping.unicodeScalars.count
    }
}

/// The rights of a member of a space. New cases may be added.
public enum Role: String, Codable, Sendable, CaseIterable {
    /// Owners may do everything, editors read and write, readers only read.
    case owner, editor, reader

    /// Whether the role allows changing records.
    public var mayWrite: Bool {
        switch self {
        case .owner, .editor: true
        case .reader: false
        }
    }
}

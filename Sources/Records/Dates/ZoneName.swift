public import Foundation

/// The name of a time zone in the IANA database: `Europe/Berlin`.
///
/// A name that this system doesn't know is kept, too: another device may know it.
public struct ZoneName: Sendable, Hashable {
    /// The name.
    public let text: String

    /// Creates a name in the syntax of RFC 9557 (`time-zone-name`); nil for any other text.
    ///
    /// The syntax has no part `.` or `..`. Systems read a time zone from a file whose path ends with the name.
    public init?(_ text: some StringProtocol) {
        let text = String(text)
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy(Self.isPart) else { return nil }
        self.text = text
    }

    /// Creates the name of a time zone; nil for UTC, which needs no name, and for a fixed offset from UTC, which has
    /// none.
    public init?(_ timeZone: TimeZone) {
        // Foundation calls UTC `GMT` and a fixed offset `GMT+0300`.
        let name = timeZone.identifier
        if name.hasPrefix("GMT") || Self.utc.contains(name) { return nil }
        self.init(name)
    }

    /// The time zone; nil: this system doesn't know it.
    public var timeZone: TimeZone? { TimeZone(identifier: text) }

    private static let utc: Set = ["UTC", "Etc/UTC", "Etc/GMT"]

    private static func isPart(_ part: Substring) -> Bool {
        guard let first = part.utf8.first, isInitial(first), part != ".", part != ".." else { return false }
        return part.utf8.allSatisfy { byte in
            isInitial(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "+")
        }
    }

    private static func isInitial(_ byte: UInt8) -> Bool {
        // Setting bit 0x20 maps capital letters to small ones, and no other ASCII character to a letter.
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_")
    }
}

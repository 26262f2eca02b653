/// The short form of a record's id for users: the beginning of a UUID in letters, as the version control system jj
/// writes its change ids.
///
/// Each hexadecimal digit is a letter, from `z` for 0 to `k` for f, and the hyphens are omitted: `3f2a1b9c-…` is
/// `wkxpyoqn…`. So a short id is never mistaken for a number in a list, and never ends in a hyphen. The ids of other clients
/// that aren't UUIDs are shown as they are.
public enum ShortID {
    /// The minimum length of a short id, and of letters that are read as one.
    public static let minimumLength = 4
    /// The maximum length of a short id in a list. A record whose id needs more is named by its number.
    public static let maximumLengthInList = 8

    /// The letters of the digits 0 to 15.
    private static let letters = Array("zyxwvutsrqponmlk".utf8)
    private static let digits = Array("0123456789abcdef".utf8)
    /// The lengths of the groups of a UUID.
    private static let groups = [8, 4, 4, 4, 12]

    /// Returns a whole id as it is shown: a UUID in lower case in letters, any other id unchanged.
    public static func whole(_ id: String) -> String {
        guard UUIDText.isValid(id) else { return id }
        var shown: [UInt8] = []
        shown.reserveCapacity(id.utf8.count)
        for byte in id.utf8 where byte != UInt8(ascii: "-") {
            // An id with capital letters isn't Satchel's.
            guard let value = value(of: byte) else { return id }
            shown.append(letters[value])
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Returns the beginning of a UUID, with its hyphens, that a word of letters means; nil: the word has other
    /// characters, or is shorter than ``minimumLength``. Capital letters are accepted.
    public static func idPrefix(of word: String) -> String? {
        let bytes = Array(word.lowercased().utf8)
        guard (minimumLength...32).contains(bytes.count) else { return nil }
        var prefix: [UInt8] = []
        var left = groups[...]
        var room = left.removeFirst()
        for byte in bytes {
            guard let value = letters.firstIndex(of: byte) else { return nil }
            if room == 0 {
                prefix.append(UInt8(ascii: "-"))
                room = left.popFirst() ?? 0
            }
            prefix.append(digits[value])
            room -= 1
        }
        return String(decoding: prefix, as: UTF8.self)
    }

    private static func value(of byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): Int(byte - UInt8(ascii: "a")) + 10
        default: nil
        }
    }
}

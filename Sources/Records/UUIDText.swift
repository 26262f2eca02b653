internal import Crypto

/// The text form of UUIDs (RFC 9562 section 4): 32 lower-case hex digits in groups of 8-4-4-4-12.
public enum UUIDText {
    /// The UUID that these texts always make: a hash of them, of version 8. For what has no id of its own, so that it is
    /// known again.
    public static func derived(from parts: [String]) -> String {
        let canonical = JSONValue.array(parts.map(JSONValue.string)).canonical
        return version8(SHA256.hash(data: Array(canonical.utf8)).prefix(16))
    }

    /// A UUID of version 8, whose bits but those of version and variant are the given ones.
    ///
    /// - Parameter bytes: 16 bytes.
    static func version8(_ bytes: some Sequence<UInt8>) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            let marked =
                switch index {
                case 6: byte & 0x0F | 0x80
                case 8: byte & 0x3F | 0x80
                default: byte
                }
            text += (marked < 0x10 ? "0" : "") + String(marked, radix: 16)
        }
        return text
    }
}

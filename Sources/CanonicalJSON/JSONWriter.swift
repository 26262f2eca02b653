extension JSONValue {
    /// The value as compact JSON: names in canonical order, numbers as they were written.
    public var text: String { written(canonicalNumbers: false) }

    /// The value for users: the text of a string, anything else as compact JSON.
    public var displayText: String { string ?? text }

    /// The canonical form of RFC 8785 (JCS): equal values have equal bytes.
    public var canonical: String { written(canonicalNumbers: true) }

    private func written(canonicalNumbers: Bool) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        append(to: &bytes, canonicalNumbers: canonicalNumbers)
        StepCounter.count(bytes.count)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(to bytes: inout [UInt8], canonicalNumbers: Bool) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: (canonicalNumbers ? number.canonical : number.text).utf8)
        case .string(let text): Self.append(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes, canonicalNumbers: canonicalNumbers)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.sortedMembers.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.append(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes, canonicalNumbers: canonicalNumbers)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Appends `text` as a JSON string, escaped as in RFC 8785 section 3.2.2.2.
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        text.withBytes { characters in
            if characters.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
                bytes.append(contentsOf: characters)
            } else {
                appendEscaped(characters, to: &bytes)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscaped(_ characters: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        for byte in characters {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x08: bytes.append(contentsOf: "\\b".utf8)
            case 0x09: bytes.append(contentsOf: "\\t".utf8)
            case 0x0A: bytes.append(contentsOf: "\\n".utf8)
            case 0x0C: bytes.append(contentsOf: "\\f".utf8)
            case 0x0D: bytes.append(contentsOf: "\\r".utf8)
            case 0..<0x20: bytes.append(contentsOf: ((byte < 0x10 ? "\\u000" : "\\u00") + String(byte, radix: 16)).utf8)
            // RFC 8785 escapes nothing else: not U+007F, U+2028 or the characters beyond ASCII.
            default: bytes.append(byte)
            }
        }
    }
}

extension JSONObject {
    /// The object as compact JSON, like `JSONValue.text`.
    public var text: String { JSONValue.object(self).text }

    /// Returns the size of `text` in bytes if it is larger than `limit`; else nil, usually without writing it.
    package func textBytes(above limit: Int) -> Int? {
        guard JSONValue.object(self).maximumTextBytes > limit else { return nil }
        let count = text.utf8.count
        return count > limit ? count : nil
    }
}

extension JSONValue {
    /// The largest size that `text` may have, in bytes.
    fileprivate var maximumTextBytes: Int {
        switch self {
        case .null, .bool: 5
        case .number(let number): number.text.utf8.count
        case .string(let text): Self.maximumBytes(of: text)
        case .array(let elements): elements.reduce(2) { $0 + $1.maximumTextBytes + 1 }
        case .object(let members):
            members.reduce(2) { $0 + Self.maximumBytes(of: $1.name) + $1.value.maximumTextBytes + 2 }
        }
    }

    /// A control character is written as `\u001f`.
    private static func maximumBytes(of text: String) -> Int { 2 + 6 * text.utf8.count }
}

extension String {
    /// Calls `body` with the bytes of the text in UTF-8. They aren't copied, unless another type stores them.
    package func withBytes<Value>(_ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        if let value = utf8.withContiguousStorageIfAvailable(body) { return value }
        // Mutating, since it makes the storage contiguous.
        var text = self
        return text.withUTF8(body)
    }
}

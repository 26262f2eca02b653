/// What is wrong with a text that should be I-JSON, and where.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Why it was refused, as a clause: "a name stands twice: \"title\"".
    public let reason: String
    /// The offset in bytes at which it was noticed.
    public let offset: Int

    public var description: String { "\(reason), at byte \(offset)" }
}

extension JSONValue {
    /// How deep arrays and objects may be nested.
    public static let maximumDepth = 64

    /// Parses I-JSON: strict RFC 8259, and (RFC 7493) valid UTF-8, no duplicate names, no lone surrogates, no number
    /// beyond binary64; nothing nested deeper than `maximumDepth`.
    ///
    /// - Throws: `JSONError`, which names the reason and the byte.
    public init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
        let parsed =
            bytes.withContiguousStorageIfAvailable { Self.parse($0) }
            ?? Array(bytes).withUnsafeBufferPointer { Self.parse($0) }
        self = try parsed.get()
    }

    /// Parses I-JSON from a text.
    public init(parsing text: String) throws(JSONError) {
        var text = text
        self = try text.withUTF8 { Self.parse($0) }.get()
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in
            var parser = JSONParser(bytes: bytes)
            return try parser.document()
        }
    }
}

/// A recursive-descent parser over bytes; recursion is bounded by `JSONValue.maximumDepth`.
private struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    var depth = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func document() throws(JSONError) -> JSONValue {
        skipSpace()
        let value = try value()
        skipSpace()
        if position < bytes.count { throw error("something follows the value") }
        return value
    }

    private func error(_ reason: String) -> JSONError { JSONError(reason: reason, offset: position) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return try nested { parser throws(JSONError) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(JSONError) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return .number(try number())
        case nil: throw error("the text ends where a value should stand")
        case .some: throw error("no value starts like this")
        }
    }

    private mutating func nested(
        _ body: (inout JSONParser) throws(JSONError) -> JSONValue
    ) throws(JSONError) -> JSONValue {
        depth += 1
        if depth > JSONValue.maximumDepth {
            throw error("nested deeper than \(JSONValue.maximumDepth) levels")
        }
        position += 1
        let value = try body(&self)
        depth -= 1
        return value
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        let matches = end <= bytes.count && (position..<end).allSatisfy { bytes[$0] == word.utf8Start[$0 - position] }
        if !matches { throw error("no value starts like this") }
        position = end
        return value
    }

    private mutating func array() throws(JSONError) -> JSONValue {
        var elements: [JSONValue] = []
        skipSpace()
        if next == UInt8(ascii: "]") {
            position += 1
            return .array([])
        }
        while true {
            skipSpace()
            elements.append(try value())
            skipSpace()
            if try closes(with: UInt8(ascii: "]")) { return .array(elements) }
        }
    }

    private mutating func object() throws(JSONError) -> JSONValue {
        var members = JSONObject()
        skipSpace()
        if next == UInt8(ascii: "}") {
            position += 1
            return .object(members)
        }
        while true {
            skipSpace()
            if next != UInt8(ascii: "\"") { throw error("a member's name should stand here") }
            let name = try string()
            if members[name] != nil { throw error("a name stands twice: \"\(name)\"") }
            skipSpace()
            if next != UInt8(ascii: ":") { throw error("a colon should stand here") }
            position += 1
            skipSpace()
            members[name] = try value()
            skipSpace()
            if try closes(with: UInt8(ascii: "}")) { return .object(members) }
        }
    }

    /// Steps over a comma (false) or the closing bracket (true).
    private mutating func closes(with bracket: UInt8) throws(JSONError) -> Bool {
        guard let byte = next else { throw error("the text ends inside an array or object") }
        guard byte == bracket || byte == UInt8(ascii: ",") else {
            throw error("a comma or a closing bracket should stand here")
        }
        position += 1
        return byte == bracket
    }

    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        let exponent = next.map { $0 | 0x20 } == UInt8(ascii: "e")
        if exponent {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let number = JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
        // Up to 15 plain digits are always in range; only longer texts and exponents need the look.
        if position - start > 15 || exponent, !number.double.isFinite { throw error("a number is too large") }
        return number
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw error("a digit should stand here") }
    }

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        // Most strings have no escape: find the end, check the bytes once, copy once.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { position += 1 }
        if next == UInt8(ascii: "\"") {
            defer { position += 1 }
            return try text(bytes[start..<position])
        }
        var buffer = Array(bytes[start..<position])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return try buffer.withUnsafeBufferPointer { (raw) -> Result<String, JSONError> in
                    Result { () throws(JSONError) in try text(raw[...]) }
                }.get()
            case UInt8(ascii: "\\"):
                position += 1
                try escape(into: &buffer)
            case 0..<0x20:
                throw error("a control character stands in a string")
            default:
                buffer.append(byte)
                position += 1
            }
        }
        throw error("the text ends inside a string")
    }

    private func text(_ slice: Slice<UnsafeBufferPointer<UInt8>>) throws(JSONError) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else { throw error("a string is not valid UTF-8") }
        return text
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
        guard let byte = next else { throw error("the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"): buffer.append(contentsOf: Character(try scalar()).utf8)
        default: throw error("an unknown escape stands in a string")
        }
    }

    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), next == UInt8(ascii: "\\") else { throw error("a lone surrogate") }
        position += 1
        guard next == UInt8(ascii: "u") else { throw error("a lone surrogate") }
        position += 1
        let second = try codeUnit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { throw error("a lone surrogate") }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw error("four hexadecimal digits should stand here")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}

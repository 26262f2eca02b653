internal import Records

/// Locates the members of a JSON object in its text without parsing their values: a page of records has several MiB,
/// which are stored in the database unchanged.
///
/// Skipped text is not checked to be JSON; the reader of a value checks it.
struct JSONScanner {
    /// A member: its name and the bytes of its value.
    struct Member {
        let name: String
        let value: Range<Int>
    }

    /// The elements of an array: their number, and the bytes of the last one.
    struct Elements {
        var count = 0
        var last: Range<Int>?
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position: Int

    /// Returns the members of the object in the text.
    ///
    /// - Throws: `MalformedAnswer` if the text isn't an object, or a name occurs twice.
    static func members(of bytes: UnsafeBufferPointer<UInt8>) throws(MalformedAnswer) -> [Member] {
        var scanner = JSONScanner(bytes: bytes, position: 0)
        var members: [Member] = []
        // By bytes: the names come from another program (see `JSONName`).
        var names: Set<JSONName> = []
        try scanner.parts(open: "{", close: "}") { (scanner: inout JSONScanner) throws(MalformedAnswer) in
            let name = try scanner.name()
            guard scanner.skip(":") else { throw MalformedAnswer("a member without a value") }
            let value = try scanner.value()
            // Parsers differ in which of two equal names counts (RFC 8259, section 4).
            guard names.insert(JSONName(name)).inserted else { throw MalformedAnswer("a name occurs twice: \(name)") }
            members.append(Member(name: name, value: value))
        }
        guard scanner.skipSpace() == nil else { throw MalformedAnswer("unexpected text after the value") }
        return members
    }

    /// Returns the elements of an array.
    ///
    /// - Throws: `MalformedAnswer` if it isn't an array.
    static func elements(
        of array: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>
    ) throws(MalformedAnswer) -> Elements {
        var scanner = JSONScanner(bytes: bytes, position: array.lowerBound)
        var elements = Elements()
        try scanner.parts(open: "[", close: "]") { (scanner: inout JSONScanner) throws(MalformedAnswer) in
            elements.last = try scanner.value()
            elements.count += 1
        }
        return elements
    }

    /// Reads the parts of an object or an array with `part`.
    private mutating func parts(
        open: Unicode.Scalar, close: Unicode.Scalar,
        _ part: (inout JSONScanner) throws(MalformedAnswer) -> Void
    ) throws(MalformedAnswer) {
        guard skip(open) else { throw MalformedAnswer("no \(open) where it should begin") }
        if skip(close) { return }
        repeat { try part(&self) } while skip(",")
        guard skip(close) else { throw MalformedAnswer("the text ends too early") }
    }

    private mutating func name() throws(MalformedAnswer) -> String {
        let range = try value()
        // `try?`: any text that isn't a JSON string is reported as the same error.
        guard let name = (try? JSONValue(parsing: bytes[range]))?.string else {
            throw MalformedAnswer("a member without a name")
        }
        return name
    }

    /// Skips a value and returns its bytes.
    private mutating func value() throws(MalformedAnswer) -> Range<Int> {
        guard let first = skipSpace() else { throw MalformedAnswer("the text ends too early") }
        let start = position
        var depth = 0
        var next: UInt8? = first
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""): try skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","):
                // Outside of brackets, a comma or closing bracket belongs to the array or object around the value.
                if depth == 0 { return try end(of: start) }
                // Both kinds of brackets are counted alike; a text with the wrong kind is refused when the value is
                // parsed.
                if byte != UInt8(ascii: ",") { depth -= 1 }
                position += 1
                if depth == 0, byte != UInt8(ascii: ",") { return start..<position }
            case UInt8(ascii: ":") where depth == 0: return try end(of: start)
            default: position += 1
            }
            next = position < bytes.count ? bytes[position] : nil
        }
        guard depth == 0 else { throw MalformedAnswer("the text ends too early") }
        return try end(of: start)
    }

    private func end(of start: Int) throws(MalformedAnswer) -> Range<Int> {
        guard position > start else { throw MalformedAnswer("a value is missing") }
        return start..<position
    }

    private mutating func skipString() throws(MalformedAnswer) {
        position += 1
        while position < bytes.count {
            let byte = bytes[position]
            // The byte after a backslash is skipped, since it may be a quote.
            position += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return }
        }
        throw MalformedAnswer("the text ends too early")
    }

    /// Skips a character; returns false, and skips only white space, if another one is next.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard skipSpace() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Skips white space, and returns the byte that follows it.
    private mutating func skipSpace() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return nil
    }
}

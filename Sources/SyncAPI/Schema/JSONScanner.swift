internal import Records

/// Finds the members of a JSON object in its text without reading their values: a page of records has several MiB, which
/// go to the database as they are.
///
/// Skipped text is not checked to be JSON; the reader of a value checks it.
struct JSONScanner {
    /// A member: its name and the bytes of its value.
    struct Member {
        let name: String
        let value: Range<Int>
    }

    /// The elements of an array: how many there are, and the bytes of the last one.
    struct Elements {
        var count = 0
        var last: Range<Int>?
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position: Int

    /// The members of the object that the text is.
    ///
    /// - Throws: `MalformedAnswer` if the text is no object, or a name occurs twice.
    static func members(of bytes: UnsafeBufferPointer<UInt8>) throws(MalformedAnswer) -> [Member] {
        var scanner = JSONScanner(bytes: bytes, position: 0)
        var members: [Member] = []
        try scanner.parts(open: "{", close: "}") { (scanner: inout JSONScanner) throws(MalformedAnswer) in
            let name = try scanner.name()
            guard scanner.skip(":") else { throw MalformedAnswer("a member without a value") }
            let value = try scanner.value()
            guard !members.contains(where: { $0.name == name }) else {
                throw MalformedAnswer("a name occurs twice: \(name)")
            }
            members.append(Member(name: name, value: value))
        }
        guard scanner.skipSpace() == nil else { throw MalformedAnswer("unexpected text after the value") }
        return members
    }

    /// The elements of an array.
    ///
    /// - Throws: `MalformedAnswer` if it is no array.
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

    /// Reads the parts of an object or an array, each by `part`.
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
        guard let name = (try? JSONValue(parsing: bytes[range]))?.string else {
            throw MalformedAnswer("a member without a name")
        }
        return name
    }

    /// Skips a value.
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
                if depth == 0 { return try end(of: start) }
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
            position += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return }
        }
        throw MalformedAnswer("the text ends too early")
    }

    /// Skips a character; false, and only space skipped, if another one is next.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard skipSpace() == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Skips space, and returns the byte that follows it.
    private mutating func skipSpace() -> UInt8? {
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            position += 1
        }
        return nil
    }
}

/// A recursive-descent parser over bytes; recursion is bounded by `JSONValue.maximumDepth`.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private var depth = 0
    private var valuesLeft: Int

    init(bytes: UnsafeBufferPointer<UInt8>, maximumValues: Int = .max) {
        self.bytes = bytes
        valuesLeft = maximumValues
    }

    mutating func document() throws(JSONError) -> JSONValue {
        skipSpace()
        let value = try value()
        skipSpace()
        if position < bytes.count { throw error("something follows the value") }
        StepCounter.count(position)
        return value
    }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ reason: String, at offset: Int? = nil) -> JSONError {
        JSONError(reason: reason, offset: offset ?? position)
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        if valuesLeft == 0 { throw JSONError(reason: "too many values", offset: position, isTooMany: true) }
        valuesLeft -= 1
        switch next {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return .number(try number())
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try nested()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw error("the text ends where a value should stand")
        case .some: throw error("no value starts like this")
        }
    }

    private mutating func nested() throws(JSONError) -> JSONValue {
        if depth == JSONValue.maximumDepth { throw error("nested deeper than \(JSONValue.maximumDepth) levels") }
        depth += 1
        defer { depth -= 1 }
        let isObject = next == UInt8(ascii: "{")
        position += 1
        skipSpace()
        return isObject ? .object(try members()) : .array(try elements())
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        let matches = end <= bytes.count && (position..<end).allSatisfy { bytes[$0] == word.utf8Start[$0 - position] }
        if !matches { throw error("no value starts like this") }
        position = end
        return value
    }

    private mutating func elements() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        if next == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        repeat {
            skipSpace()
            elements.append(try value())
        } while try continues(until: UInt8(ascii: "]"))
        return elements
    }

    private mutating func members() throws(JSONError) -> JSONObject {
        var members = JSONObject()
        if next == UInt8(ascii: "}") {
            position += 1
            return members
        }
        repeat {
            skipSpace()
            let start = position
            if next != UInt8(ascii: "\"") { throw error("a member's name should stand here") }
            let name = try string()
            skipSpace()
            if next != UInt8(ascii: ":") { throw error("a colon should stand here") }
            position += 1
            skipSpace()
            if !members.insert(name, try value()) { throw error("a name stands twice: \"\(name)\"", at: start) }
        } while try continues(until: UInt8(ascii: "}"))
        return members
    }

    /// Steps over a comma (true) or the closing bracket (false).
    private mutating func continues(until bracket: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard let byte = next else { throw error("the text ends inside an array or object") }
        guard byte == bracket || byte == UInt8(ascii: ",") else {
            throw error("a comma or a closing bracket should stand here")
        }
        position += 1
        return byte != bracket
    }
}

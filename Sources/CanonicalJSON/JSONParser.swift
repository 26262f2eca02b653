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
        try end()
        return value
    }

    /// Parses a text whose value is an array. Each element is passed to `body` with its bytes, and isn't stored.
    mutating func array(_ body: (JSONValue, Range<Int>) -> Void) throws(JSONError) {
        skipSpace()
        guard next == UInt8(ascii: "[") else { throw error("unexpected character; an array is expected") }
        _ = try array(passing: body)
        try end()
    }

    /// Parses a text. Each element of the array in the member `name` of an object is passed to `body` with its bytes, and
    /// isn't stored.
    ///
    /// - Returns: The object, in which that array is empty; nil: the value isn't an object.
    mutating func object(
        passing name: String, to body: (JSONValue, Range<Int>) -> Void
    ) throws(JSONError) -> JSONObject? {
        skipSpace()
        guard next == UInt8(ascii: "{") else { return try document().object }
        depth += 1
        position += 1
        skipSpace()
        let members = try members(passing: name, to: body)
        depth -= 1
        try end()
        return members
    }

    /// Parses the value of an object's first member, and nothing after it; nil: the text doesn't begin with an object, or
    /// its first member has another name.
    mutating func firstMember(named name: String) throws(JSONError) -> JSONValue? {
        skipSpace()
        guard next == UInt8(ascii: "{") else { return nil }
        depth += 1
        position += 1
        skipSpace()
        guard try memberName() == name else { return nil }
        return try value()
    }

    private mutating func end() throws(JSONError) {
        skipSpace()
        // RFC 8259 section 2: a text is one value; a second one must not be ignored.
        if position < bytes.count { throw error("unexpected text after the value") }
        StepCounter.count(position)
    }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ reason: String, at offset: Int? = nil) -> JSONError {
        JSONError(reason: reason, offset: offset ?? position)
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        // Bounds the memory: in `[[],[],…]`, each value needs many times its two bytes.
        if valuesLeft == 0 { throw JSONError(reason: "too many values", offset: position, isTooMany: true) }
        valuesLeft -= 1
        switch next {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return .number(try number())
        case UInt8(ascii: "{"), UInt8(ascii: "["): return try nested()
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw error("the text ends where a value is expected")
        case .some: throw error("unexpected character; a value is expected")
        }
    }

    private mutating func nested() throws(JSONError) -> JSONValue {
        // Untrusted text such as `[[[[…` would otherwise exhaust the stack.
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
        if !matches { throw error("unexpected character; a value is expected") }
        position = end
        return value
    }

    private mutating func elements() throws(JSONError) -> [JSONValue] {
        var values: [JSONValue] = []
        try elements { value, _ in values.append(value) }
        return values
    }

    private mutating func elements(_ body: (JSONValue, Range<Int>) -> Void) throws(JSONError) {
        if next == UInt8(ascii: "]") {
            position += 1
            return
        }
        repeat {
            skipSpace()
            let start = position
            let value = try value()
            body(value, start..<position)
        } while try continues(until: UInt8(ascii: "]"))
    }

    private mutating func members() throws(JSONError) -> JSONObject { try members(passing: nil) { _, _ in } }

    private mutating func members(
        passing passed: String?, to body: (JSONValue, Range<Int>) -> Void
    ) throws(JSONError) -> JSONObject {
        var members = JSONObject()
        if next == UInt8(ascii: "}") {
            position += 1
            return members
        }
        repeat {
            skipSpace()
            let start = position
            let name = try memberName()
            let isPassed = next == UInt8(ascii: "[") && name == passed
            let value = isPassed ? try array(passing: body) : try value()
            // RFC 7493 section 2.3: of two equal names, programs disagree which one counts.
            if !members.insert(name, value) { throw error("duplicate name: \"\(name)\"", at: start) }
        } while try continues(until: UInt8(ascii: "}"))
        return members
    }

    /// Parses the name of a member and the colon, up to the member's value.
    private mutating func memberName() throws(JSONError) -> String {
        if next != UInt8(ascii: "\"") { throw error("a member's name is expected") }
        let name = try string()
        skipSpace()
        if next != UInt8(ascii: ":") { throw error("a colon is expected") }
        position += 1
        skipSpace()
        return name
    }

    /// Parses an array. Each element is passed to `body` with its bytes, and isn't stored.
    ///
    /// - Returns: An empty array.
    private mutating func array(passing body: (JSONValue, Range<Int>) -> Void) throws(JSONError) -> JSONValue {
        depth += 1
        position += 1
        skipSpace()
        try elements(body)
        depth -= 1
        return .array([])
    }

    /// Skips a comma and returns true, or skips the closing bracket and returns false.
    private mutating func continues(until bracket: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard let byte = next else { throw error("the text ends inside an array or object") }
        guard byte == bracket || byte == UInt8(ascii: ",") else {
            throw error("a comma or a closing bracket is expected")
        }
        position += 1
        return byte != bracket
    }
}

/// Numbers and strings.
extension JSONParser {
    mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        // RFC 8259 section 6: no digit follows a leading zero. The caller refuses one, since it expects a comma, a
        // bracket or the end.
        if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        // Setting bit 0x20 maps "E" to "e".
        let hasExponent = next.map { $0 | 0x20 } == UInt8(ascii: "e")
        if hasExponent {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        let number = JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
        // Only an exponent or more than 300 digits can leave the range of binary64.
        if hasExponent || position - start > 300, !number.double.isFinite {
            throw error("a number is too large", at: start)
        }
        return number
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        if position == start { throw error("a digit is expected") }
    }

    mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        skipPlainBytes()
        // Most strings have no escape: their bytes are validated and copied once.
        if next == UInt8(ascii: "\"") {
            position += 1
            return try text(UnsafeBufferPointer(rebasing: bytes[start..<position - 1]), from: start)
        }
        var buffer = Array(bytes[start..<position])
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                position += 1
                return try buffer.withUnsafeBufferPointer { all throws(JSONError) in try text(all, from: start) }
            case UInt8(ascii: "\\"): try escape(into: &buffer)
            case 0..<0x20: throw error("a string contains a control character")
            default:
                let plain = position
                skipPlainBytes()
                buffer += bytes[plain..<position]
            }
        }
        throw error("the text ends inside a string")
    }

    private mutating func skipPlainBytes() {
        while position < bytes.count {
            let byte = bytes[position]
            // In UTF-8, all bytes of a multi-byte character are above 0x7F, so none of them looks like a quote or an
            // escape.
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte < 0x20 { return }
            position += 1
        }
    }

    private func text(_ content: UnsafeBufferPointer<UInt8>, from start: Int) throws(JSONError) -> String {
        let text = String(decoding: content, as: UTF8.self)
        // Invalid bytes were replaced, so the value would change unnoticed. `String(validating:as:)` is generic code of
        // the standard library, which isn't specialised and takes several times as long.
        guard text.withBytes({ $0.elementsEqual(content) }) else {
            throw error("a string is not valid UTF-8", at: start)
        }
        return text
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(JSONError) {
        let start = position
        position += 1
        guard let byte = next else { throw error("the text ends inside a string") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"): buffer += Character(try scalar(from: start)).utf8
        default: throw error("a string contains an unknown escape", at: start)
        }
    }

    /// Returns the scalar of one escape, or of two that form a surrogate pair; the first `\u` has been read.
    private mutating func scalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard UTF16.isLeadSurrogate(first), bytes[position...].starts(with: "\\u".utf8) else {
            throw error("a lone surrogate", at: start)
        }
        position += 2
        let second = try codeUnit()
        let pair = 0x10000 + (UInt32(first) & 0x3FF) << 10 + UInt32(second) & 0x3FF
        guard UTF16.isTrailSurrogate(second), let scalar = Unicode.Scalar(pair) else {
            throw error("a lone surrogate", at: start)
        }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = next, byte < 0x80, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw error("four hexadecimal digits are expected")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}

#if DEBUG
    internal import Synchronization
#endif

/// Counts the steps of work on JSON. Tests compare the cost of a request with that of one twice as large, without a
/// clock.
///
/// A step is an examined member or byte. Steps are counted in debug builds only, within `counting`; release builds
/// contain no counting code.
package enum StepCounter {
    #if DEBUG
        // Task-local, so that tests that run in parallel count separately.
        @TaskLocal private static var counter: Counter?

        private final class Counter: Sendable {
            let steps = Atomic<Int>(0)
        }
    #endif

    /// Adds steps to the count of the calling task.
    package static func count(_ steps: @autoclosure () -> Int) {
        #if DEBUG
            counter?.steps.add(steps(), ordering: .relaxed)
        #endif
    }

    #if DEBUG
        /// Runs `body` and returns the steps that it took in its task. The steps of a nested count are not added to the
        /// outer one.
        ///
        /// - Throws: What `body` throws.
        package static func counting(_ body: () async throws -> Void) async rethrows -> Int {
            let counter = Counter()
            try await $counter.withValue(counter) { try await body() }
            return counter.steps.load(ordering: .relaxed)
        }

        /// Runs synchronous work and returns its result and the steps that it took. Nested counts are treated as by
        /// `counting`.
        package static func countingNow<Result>(_ body: () throws -> Result) rethrows -> (result: Result, steps: Int) {
            let counter = Counter()
            let result = try $counter.withValue(counter) { try body() }
            return (result, counter.steps.load(ordering: .relaxed))
        }
    #endif
}

/// The error of a text that isn't I-JSON: the reason and the position.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason, as a clause: "duplicate name: \"title\"".
    public let reason: String
    /// The byte, counted from 0, at which the invalid part starts; the number of bytes if the text ends too early.
    public let offset: Int
    /// Whether the text was refused only because it has more values than the reader accepts.
    public let isTooMany: Bool

    /// Creates an error at a byte.
    public init(reason: String, offset: Int, isTooMany: Bool = false) {
        self.reason = reason
        self.offset = offset
        self.isTooMany = isTooMany
    }

    /// The reason and the byte.
    public var description: String { "\(reason), at byte \(offset)" }
}

import CanonicalJSON
import TestSupport
import Testing

@Suite("Parsing I-JSON")
struct JSONParserTests {
    @Test(
        "invalid I-JSON is refused with the reason and the byte offset",
        arguments: [
            ("", 0, "the text ends where a value is expected"),
            ("  ", 2, "the text ends where a value is expected"),
            ("nul", 0, "unexpected character; a value is expected"),
            ("nulL", 0, "unexpected character; a value is expected"),
            ("\u{FEFF}1", 0, "unexpected character; a value is expected"),
            ("'a'", 0, "unexpected character; a value is expected"),
            ("NaN", 0, "unexpected character; a value is expected"),
            ("1 2", 2, "unexpected text after the value"),
            ("01", 1, "unexpected text after the value"),
            ("+1", 0, "unexpected character; a value is expected"),
            (".5", 0, "unexpected character; a value is expected"),
            ("1.", 2, "a digit is expected"),
            ("1.e5", 2, "a digit is expected"),
            ("-", 1, "a digit is expected"),
            ("1e", 2, "a digit is expected"),
            ("1e+", 3, "a digit is expected"),
            ("[1e400]", 1, "a number is too large"),
            ("[", 1, "the text ends where a value is expected"),
            ("[1", 2, "the text ends inside an array or object"),
            ("[1,]", 3, "unexpected character; a value is expected"),
            ("[1 2]", 3, "a comma or a closing bracket is expected"),
            ("[1}", 2, "a comma or a closing bracket is expected"),
            ("{1:2}", 1, "a member's name is expected"),
            ("{\"a\":1,}", 7, "a member's name is expected"),
            ("{\"a\" 1}", 5, "a colon is expected"),
            ("{\"a\":}", 5, "unexpected character; a value is expected"),
            ("{\"a\":1,\"b\":2,\"a\":3}", 13, "duplicate name: \"a\""),
            ("{\"a\":1,\"\\u0061\":3}", 7, "duplicate name: \"a\""),
            ("\"abc", 4, "the text ends inside a string"),
            ("\"a\\", 3, "the text ends inside a string"),
            ("\"a\nb\"", 2, "a string contains a control character"),
            ("\"\\t\u{1}\"", 3, "a string contains a control character"),
            ("\"\\x\"", 1, "a string contains an unknown escape"),
            ("\"\\u12g4\"", 5, "four hexadecimal digits are expected"),
            ("\"\\u12", 5, "four hexadecimal digits are expected"),
            ("\"\\ud800\"", 1, "a lone surrogate"),
            ("\"\\ud800x\"", 1, "a lone surrogate"),
            ("\"\\ud800\\n\"", 1, "a lone surrogate"),
            ("\"\\ud800\\ud800\"", 1, "a lone surrogate"),
            ("\"x\\udc00\"", 2, "a lone surrogate"),
        ])
    func refused(text: String, offset: Int, reason: String) {
        #expect(throws: JSONError(reason: reason, offset: offset)) { try JSONValue(parsing: text) }
    }

    @Test(
        "invalid UTF-8 is refused",
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0x5C, 0x6E, 0x80, 0x22],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        #expect(throws: JSONError(reason: "a string is not valid UTF-8", offset: 1)) { try JSONValue(parsing: bytes) }
    }

    @Test("64 levels of nesting are accepted, one more is refused at its bracket")
    func depth() throws {
        let deepest = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try JSONValue(parsing: deepest).text == deepest)
        #expect(throws: JSONError(reason: "nested deeper than 64 levels", offset: 64)) {
            try JSONValue(parsing: "[" + deepest + "]")
        }
        #expect(throws: JSONError.self) { try JSONValue(parsing: String(repeating: "{\"a\":", count: 1_000_000)) }
        let wide = "[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]"
        #expect(try JSONValue(parsing: wide).text == wide)
    }

    private struct Element {
        let value: JSONValue
        let text: String
    }

    /// The elements of an array with their texts, parsed one after the other.
    private func elements(_ bytes: [UInt8]) throws(JSONError) -> [Element] {
        let elements = bytes.withUnsafeBufferPointer { buffer in
            Result { () throws(JSONError) -> [Element] in
                var elements: [Element] = []
                try JSONValue.parseElements(of: buffer) { value, place in
                    elements.append(Element(value: value, text: String(decoding: buffer[place], as: UTF8.self)))
                }
                return elements
            }
        }
        return try elements.get()
    }

    @Test("the elements of an array are parsed one after the other, each with its own bytes")
    func elementsOneByOne() throws {
        let found = try elements(Array(#" [ {"a": "]\"," } ,[1, [2]],"é",-1.50 ] "#.utf8))
        #expect(found.map(\.text) == [#"{"a": "]\"," }"#, "[1, [2]]", "\"é\"", "-1.50"])
        for element in found { #expect(try JSONValue(parsing: element.text) == element.value) }
        #expect(try elements(Array("[ ]".utf8)).isEmpty)
        #expect(throws: JSONError(reason: "unexpected character; an array is expected", offset: 1)) {
            try elements(Array(" {}".utf8))
        }
    }

    @Test(
        "an array is refused at the same byte and for the same reason as if it were parsed at once",
        arguments: [
            "[", "[1", "[1,", "[1,]", "[1 2]", "[1}", "[1]]", "[1] x", "[{\"a\":1},{\"a\":1,\"a\":2}]", "[1,\"\\x\"]",
            "[" + String(repeating: "[", count: 64) + String(repeating: "]", count: 65),
        ])
    func elementsRefused(text: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(throws: error) { try elements(Array(text.utf8)) }
    }

    /// What is left of an object whose member `list` is passed on, and the elements of that.
    private func parted(_ text: String) -> Result<JSONObject?, JSONError> {
        Array(text.utf8).withUnsafeBufferPointer { buffer in
            Result { () throws(JSONError) -> JSONObject? in
                var elements: [JSONValue] = []
                var object = try JSONValue.parseObject(of: buffer, passing: "list") { value, place in
                    elements.append(value)
                    #expect((try? JSONValue(parsing: buffer[place])) == value)
                }
                if !elements.isEmpty { object?["elements"] = .array(elements) }
                return object
            }
        }
    }

    @Test("the elements of one member of an object are parsed one after the other")
    func elementsOfMember() throws {
        #expect(
            try parted(#" {"a": [1], "list" : [ {"list": [2]} , "]"], "b": {"list": [3]}} "#).get()
                == ["a": [1], "list": [], "b": ["list": [3]], "elements": [["list": [2]], "]"]])
        #expect(try parted(#"{"list": 1}"#).get() == ["list": 1])
        #expect(try parted("[1]").get() == nil)
    }

    @Test(
        "the first member of an object is parsed without the rest",
        arguments: [
            (#" { "a" : [1, {"b": 2}] , rest"#, [1, ["b": 2]]), (#"{"a":1"#, 1), (#"{"b":1,"a":1}"#, nil), ("{}", nil),
            (#"{"a":[}"#, nil), (#"{"a" 1}"#, nil), (#"["a"]"#, nil), ("", nil),
        ] as [(String, JSONValue?)])
    func firstMember(text: String, value: JSONValue?) {
        let found = Array(text.utf8).withUnsafeBufferPointer { JSONValue.firstMember(named: "a", of: $0) }
        #expect(found == value)
    }

    @Test(
        "such an object is refused as if it were parsed at once",
        arguments: [
            "", "{", #"{"list""#, #"{"list":[1"#, #"{"list":[],"list":[1]}"#, #"{"list":[1]]"#, #"{"list":[]} 1"#,
        ])
    func refusedObject(text: String) throws {
        let error = try #require(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(parted(text) == .failure(error))
    }

    @Test("the elements of damaged arrays are those of the array, or the error is", arguments: 0..<300 as Range<UInt64>)
    func damagedElements(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let value = JSONValue.array((0..<3).map { _ in JSONValue.generated(&random, depth: 3) })
        var bytes = Array(value.text.utf8)
        bytes[1 + random.below(bytes.count - 1)] = UInt8(random.below(256))
        let whole = Result { () throws(JSONError) -> [JSONValue] in try JSONValue(parsing: bytes).array ?? [] }
        let parts = Result { () throws(JSONError) -> [JSONValue] in try elements(bytes).map(\.value) }
        #expect(whole == parts)
    }

    @Test("strings accept every escape and surrogate pairs")
    func escapes() throws {
        let value = try JSONValue(parsing: #""\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00 é😀""#)
        #expect(value.string == "\"\\/\u{8}\u{C}\n\r\tA\u{E9}\u{1F600} é😀")
        #expect(try JSONValue(parsing: "\"\\u0000\"").string == "\0")
    }

    @Test("white space is allowed between all tokens")
    func space() throws {
        #expect(try JSONValue(parsing: " \t\r\n{ \"a\" : [ 1 , { } , [ ] ] } \n") == ["a": [1, [:], []]])
    }

    @Test("numbers keep their text")
    func numberTexts() throws {
        for text in ["0", "-0", "1.50", "12345678901234567890", "1E5", "1e-400", "0.1e+1"] {
            #expect(try JSONValue(parsing: text).text == text)
        }
        #expect(try JSONValue(parsing: String(repeating: "9", count: 308)).double?.isFinite == true)
        #expect(throws: JSONError.self) { try JSONValue(parsing: String(repeating: "9", count: 310)) }
    }

    @Test("names are compared byte by byte")
    func exactNames() throws {
        let value = try JSONValue(parsing: "{\"caf\u{E9}\":1,\"cafe\u{301}\":2}")
        #expect(value.object?.count == 2)
        #expect(value.object?["cafe\u{301}"] == 2)
    }

    @Test("generated values survive a round trip through their text", arguments: 0..<300 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let value = JSONValue.generated(&random, depth: 4)
        #expect(try JSONValue(parsing: value.text) == value)
        #expect(try JSONValue(parsing: value.canonical) == value)
        #expect(try JSONValue(parsing: value.text).canonical == value.canonical)
        #expect(try JSONValue(parsing: Array(value.text.utf8).lazy.map { $0 }) == value)
    }

    @Test("damaged texts are refused or parsed, and never crash", arguments: 0..<300 as Range<UInt64>)
    func damaged(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var bytes = Array(JSONValue.generated(&random, depth: 4).text.utf8)
        for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
        if let value = try? JSONValue(parsing: bytes) {
            #expect((try? JSONValue(parsing: value.text)) == value)
        }
    }
}

extension JSONValue {
    /// A value with strings of many kinds, nested up to `depth`.
    static func generated(_ random: inout SeededRandom, depth: Int) -> JSONValue {
        switch random.below(depth > 0 ? 7 : 5) {
        case 0: .null
        case 1: .bool(random.oneIn(2))
        case 2: .integer(Int64(random.below(1_000_000)) - 500_000)
        case 3: .number(JSONNumber(Double(bitPattern: random.next())) ?? JSONNumber(0))
        case 4: .string(text(&random))
        case 5: .array((0..<random.below(5)).map { _ in generated(&random, depth: depth - 1) })
        default:
            .object(
                JSONObject((0..<random.below(25)).map { _ in (text(&random), generated(&random, depth: depth - 1)) }))
        }
    }

    private static func text(_ random: inout SeededRandom) -> String {
        (0..<random.below(6)).map { _ in
            random.element(of: ["a", "\"", "\\", "\n", "\0", "é", "e\u{301}", "😀", "\u{2028}", " "])
        }
        .joined()
    }
}

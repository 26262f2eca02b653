import CanonicalJSON
import TestSupport
import Testing

/// RFC 8785 (JSON Canonicalization Scheme).
@Suite("The canonical form")
struct CanonicalFormTests {
    @Test(
        "numbers are written as in RFC 8785, appendix B",
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
            (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
            (0xC340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
            (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"), (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
            (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
            (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
            (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
            (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
            (0x41B3_DE43_5555_5557, "333333333.33333343"), (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
            (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func numbers(bits: UInt64, expected: String) throws {
        let number = try #require(JSONNumber(Double(bitPattern: bits)))
        #expect(number.canonical == expected)
        #expect(number.text == expected)
        #expect(number.double == Double(bitPattern: bits))
    }

    @Test("NaN and the infinities are refused")
    func notFinite() {
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(-Double.infinity) == nil)
    }

    @Test(
        "a number's canonical form doesn't depend on how it was written",
        arguments: [
            ("1.0", "1"), ("10e-1", "1"), ("-0", "0"), ("-0.0", "0"), ("1E21", "1e+21"), ("4.50", "4.5"),
            ("2e-3", "0.002"),
            ("100000000000000000000", "100000000000000000000"), ("12345678901234567890", "12345678901234567000"),
            ("1e-400", "0"), ("333333333.33333329", "333333333.3333333"), ("0.000000000000000000000000001", "1e-27"),
        ])
    func spellings(text: String, expected: String) throws {
        #expect(try JSONValue(parsing: text).canonical == expected)
    }

    @Test("the example of RFC 8785, section 3.2.2 and 3.2.3, gives its bytes")
    func example() throws {
        let value = try JSONValue(
            parsing: #"""
                {
                  "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                  "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
                  "literals": [null, true, false]
                }
                """#)
        #expect(
            value.canonical
                == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
        )
    }

    @Test(
        "a value for users is the text of a string, and JSON as it was written for all else",
        arguments: [
            (#""a \"b\"""#, #"a "b""#), ("\"\"", ""), ("1.0", "1.0"), ("true", "true"), ("null", "null"),
            (#"{"b": 1, "a": ["x"]}"#, #"{"a":["x"],"b":1}"#),
        ])
    func displayText(text: String, expected: String) throws {
        #expect(try JSONValue(parsing: text).displayText == expected)
    }

    @Test("names are sorted by UTF-16 code units, as in RFC 8785, section 3.2.3")
    func order() throws {
        let value = try JSONValue(
            parsing: #"""
                {"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
                 "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O"}
                """#)
        let names = try #require(value.object).sortedNames
        #expect(names == ["\r", "1", "\u{80}", "\u{F6}", "\u{20AC}", "\u{1F600}", "\u{FB33}"])
    }

    @Test("only equal values have equal canonical forms", arguments: 0..<200 as Range<UInt64>)
    func equality(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let one = JSONValue.generated(&random, depth: 2)
        let other = random.oneIn(2) ? one : JSONValue.generated(&random, depth: 2)
        #expect((one == other) == (one.canonical.utf8.elementsEqual(other.canonical.utf8)), "seed \(seed)")
    }

    @Test("strings are compared code point by code point, objects in any order, numbers by value")
    func equalityExamples() throws {
        #expect(JSONValue.string("\u{E9}") != JSONValue.string("e\u{301}"))
        #expect(try JSONValue(parsing: #"{"a":1,"b":[1.0]}"#) == JSONValue(parsing: #"{"b":[1],"a":1e0}"#))
        #expect(try JSONValue(parsing: "[1,2]") != JSONValue(parsing: "[2,1]"))
        #expect(JSONValue.bool(true) != 1)
    }
}

import Testing

@testable import Records

@Suite("Regular expressions of a filter")
struct FilterRegexTests {
    @Test(
        "a pattern is found in a text, without regard to case",
        arguments: [
            ("milk|bread", "Buy Bread", true), ("^buy", "Buy milk", true), ("^milk", "Buy milk", false),
            (#"(?:a|b)\d{2,3}$"#, "Room B12", true), (#"(?<year>\d{4})"#, "In 2026", true), ("(?-i)É", "é", false),
            // The same letter as one scalar and as two.
            ("caf\u{E9}", "Cafe\u{301}", true), (#"\(a\)"#, "(A)", true), (#"\\1"#, #"\1"#, true),
        ])
    func matching(pattern: String, text: String, isMatch: Bool) throws {
        let regex = try FilterRegex(pattern)
        #expect(regex.matches(text) == isMatch)
        #expect(!regex.isExhausted)
    }

    @Test(
        "look-around, atomic groups, back-references and free-form patterns are refused",
        arguments: [
            ("milk(?! chocolate)", "(?!"), ("(?=a)", "(?="), ("(?<=a)b", "(?<="), ("(?<!a)b", "(?<!"),
            ("(?>a*)b", "(?>"), (#"(a)\1"#, #"\1"#), (#"(?<n>a)\k<n>"#, #"\k"#), (#"\\\1"#, #"\1"#),
            ("(?x)a", "(?x"), ("(?i-x:a)", "(?i"),
        ])
    func refused(pattern: String, construct: String) throws {
        let error = try #require(throws: InputError.self) { _ = try FilterRegex(pattern) }
        #expect(error.description.hasPrefix("The regular expression /\(pattern)/ contains \(construct)"))
        #expect(error.description.contains("Write several conditions, as in /milk/ not:/bread/."))
    }

    @Test(
        "a match that would never end is ended, and nothing matches from then on",
        arguments: ["(a+)+b", "(a|a)*b", "a*a*a*a*b", "((a?){9,99}){9,99}b"])
    func endless(pattern: String) throws {
        let regex = try FilterRegex(pattern, time: .milliseconds(1))
        #expect(!regex.matches(String(repeating: "a", count: 4_096)))
        #expect(regex.isExhausted)
        #expect(!regex.matches("ab"))
    }

    @Test("a match that needs too much memory is ended")
    func tooMuchMemory() throws {
        let regex = try FilterRegex("(a|b)*c")
        #expect(!regex.matches(String(repeating: "a", count: 1 << 20)))
        #expect(regex.isExhausted)
    }

    @Test("a query reports a regular expression whose match was ended, also within other conditions")
    func reported() throws {
        let regex = try FilterRegex("(a+)+b", time: .milliseconds(1))
        let term = Term.any([.collection("notes"), .not(.matches(field: "title", .regex(regex)))])
        let query = Query(
            terms: [term], order: nil, types: .standard, dates: try DateExpressionTests.context())
        try query.checkMatches()
        let row = QueryRow(
            collection: "tasks", id: "a", fields: ["title": .string(String(repeating: "a", count: 4_096))])
        _ = query.select(from: [row])
        let error = try #require(throws: InputError.self) { try query.checkMatches() }
        #expect(
            error.description
                == "The regular expression /(a+)+b/ takes more than 10 seconds or too much memory, so nothing was done. Write "
                + "a simpler one, without repetitions in each other; save a saved filter that contains it again.")
    }
}

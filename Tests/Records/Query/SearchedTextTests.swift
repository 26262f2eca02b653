import Testing

@testable import Records

@Suite("Highlighting a search's words")
struct SearchedTextTests {
    /// The pieces, with the matches in brackets.
    private func marked(_ pieces: [TextPiece]) -> String {
        pieces.map { $0.isHit ? "[\($0.text)]" : $0.text }.joined()
    }

    @Test(
        "words are marked by their prefixes, ignoring case and accents",
        arguments: [
            (["mil"], "Buy Milk, millet and almilk", "Buy [Milk], [millet] and almilk"),
            (["CAFE"], "Café, cafe\u{301}", "[Café], [cafe\u{301}]"),
            (["oat milk"], "oat milk, milk", "[oat milk], milk"),
            (["oat", "milk"], "oat milk, milk", "[oat] [milk], [milk]"), (["كتا"], "اشترِ كتاب", "اشترِ [كتاب]"),
            (["牛乳"], "牛乳を買う", "[牛乳を買う]"), (["🍎"], "a 🍎 a day", "a [🍎] a day"), (["x", "-", ""], "a - b", "a - b"),
            (["a"], "", ""),
        ] as [([String], String, String)])
    func pieces(words: [String], text: String, expected: String) {
        #expect(marked(SearchedText(words).pieces(of: text)) == expected)
    }

    @Test("an excerpt is a part around the first match, in one line, cut between words at its beginning")
    func excerpt() {
        let text =
            String(repeating: "before ", count: 30) + "the\nplumber calls" + String(repeating: " after", count: 30)
        let excerpt = SearchedText(["plumb"]).excerpt(of: text, length: 40)
        #expect(marked(excerpt) == "…before the [plumber] calls after after aft…")
        #expect(marked(SearchedText(["plumb"]).excerpt(of: "the plumber")) == "the [plumber]")
        #expect(SearchedText(["gas"]).excerpt(of: text).isEmpty)
    }
}

@Suite("Searches")
struct SearchQueryTests {
    private func read(_ words: [String], saved: [String] = []) throws -> SearchQuery {
        let parts = FilterPart.parts(of: words, isSearch: true).replacingNames { _ in FilterPart.parts(of: saved) }
        return try SearchQuery(parts: parts, dates: DateExpressionTests.context(), types: .standard)
    }

    @Test("a word in the form of a filter is one; everything else is searched for, including keywords of list")
    func apart() throws {
        let search = try read(["plumber", "+house", "done", "oat milk", "-later", "http://x.org", "priority:H"])
        #expect(search.words == ["plumber", "done", "oat milk", "http://x.org"])
        #expect(
            search.filter.terms == [
                .word(field: "tags", "house"), .not(.word(field: "tags", "later")), .equals(field: "priority", "H"),
            ])
        #expect(!search.isPlain)
        #expect(try read(["milk", "note"]).isPlain)
    }

    @Test("the words of a saved filter have the same meaning as in list")
    func named() throws {
        let search = try read(["milk", "@garden"], saved: ["note", "garden", "sort:-entry"])
        #expect(search.words == ["milk"])
        #expect(search.filter.terms == [.collection("notes"), .text("garden", in: searched)])
        let entry = try #require(RecordTypes.standard.catalog["entry"])
        #expect(search.filter.order == [SortKey(entry, descending: true)])
        let other = try read(["-@garden", "sort:entry"], saved: ["note", "or", "+garden", "sort:-entry"])
        #expect(
            other.filter.terms == [.not(.any([.collection("notes"), .word(field: "tags", "garden")]))])
        #expect(other.filter.order == [SortKey(entry)])
    }

    @Test("signs, unknown names and regular expressions are searched for")
    func literal() throws {
        let words = ["or", "not", "(+a", "and", "b)", "foo:bar", "due=today", "/etc/", "not:", "a!=b", "today"]
        #expect(try read(words).words == words)
    }
}

@Suite("The words of a filter")
struct FilterWordsTests {
    @Test("Words after -- are separate, and stay after it when filters are combined")
    func parts() {
        #expect(
            FilterPart.parts(of: ["+shop", "--", "due:x", "--"]) == [
                .group([.word("+shop")]), .text("due:x"), .text("--"),
            ])
        #expect(FilterPart.parts(of: ["+a", "", "b"]) == [.word("+a"), .word("b")])
        #expect(FilterPart.parts(of: ["--"]).isEmpty)
    }

    @Test(
        "Signs may be words of their own or be attached to words",
        arguments: [
            (
                ["(", "+a", "or", "+b", ")"],
                [.operator(.open), .word("+a"), .operator(.or), .word("+b"), .operator(.close)]
            ),
            (["(+a", "OR", "+b)"], [.operator(.open), .word("+a"), .operator(.or), .word("+b"), .operator(.close)]),
            (["(+a or +b)"], [.operator(.open), .word("+a"), .operator(.or), .word("+b"), .operator(.close)]),
            (
                ["not:(due:\"next friday\" +b)"],
                [.operator(.not), .operator(.open), .word("due:next friday"), .word("+b"), .operator(.close)]
            ),
            (
                ["-(+a)", "not", "x"],
                [.operator(.not), .operator(.open), .word("+a"), .operator(.close), .operator(.not), .word("x")]
            ),
            (
                ["-@later", "not:@x", "(@y)"],
                [
                    .operator(.not), .saved("later", nil), .operator(.not), .saved("x", nil), .operator(.open),
                    .saved("y", nil),
                    .operator(.close),
                ]
            ),
            (
                ["title:f(x)", "(title:f(x))"],
                [
                    .word("title:f(x)"), .operator(.open), .word("title:f(x)"), .operator(.close),
                ]
            ),
            (["/(a|b)/", "Oro", "@1"], [.word("/(a|b)/"), .word("Oro"), .word("@1")]),
        ] as [([String], [FilterPart])])
    func signs(words: [String], parts: [FilterPart]) {
        #expect(FilterPart.parts(of: words) == parts)
    }

    @Test("After -- every word is searched for literally")
    func texts() throws {
        let dates = try DateExpressionTests.context()
        #expect(
            try Query(["+shop", "--", "+tag", "due:tomorow", "done"], dates: dates, types: .standard).terms == [
                .word(field: "tags", "shop"), .text("+tag", in: searched), .text("due:tomorow", in: searched),
                .text("done", in: searched),
            ])
        let search = try SearchQuery(["a", "--", "sort:x", "-5"], dates: dates, types: .standard)
        #expect(search.words == ["a", "sort:x", "-5"])
    }

    @Test("An unknown name is refused with the nearest one; the hint about -- is correct")
    func unknown() throws {
        let dates = try DateExpressionTests.context()
        let error = #expect(throws: InputError.unknownFilter("porject", value: "home", nearest: "project")) {
            try Query(["porject:home"], dates: dates, types: .standard)
        }
        #expect(error?.description.hasSuffix("To search for the text, write it after --.") == true)
        let literal = try Query(["--", "porject:home"], dates: dates, types: .standard)
        #expect(literal.terms == [.text("porject:home", in: searched)])
    }
}

private let searched = RecordTypes.standard.catalog.searched

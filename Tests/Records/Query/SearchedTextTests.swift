import Records
import Testing

@Suite("Where a search's words stand")
struct SearchedTextTests {
    /// The pieces with the hits in brackets.
    private func marked(_ pieces: [TextPiece]) -> String {
        pieces.map { $0.isHit ? "[\($0.text)]" : $0.text }.joined()
    }

    @Test(
        "words are marked by their beginnings, whatever the case and the accents",
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

    @Test("an excerpt is a part around the first hit, in one line, cut between words at its beginning")
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
    private func read(_ words: [String], filter: [String] = []) throws -> SearchQuery {
        try SearchQuery(words, filter: filter, dates: DateExpressionTests.context())
    }

    @Test("what has the form of a filter is one; all else is sought, also what list takes for a keyword")
    func apart() throws {
        let search = try read(["plumber", "+house", "done", "oat milk", "-later", "http://x.org", "priority:H"])
        #expect(search.words == ["plumber", "done", "oat milk", "http://x.org"])
        #expect(
            search.filter.terms == [
                .tag("house"), .not(.tag("later")), .equals(field: "priority", "H"),
            ])
        #expect(!search.isPlain)
        #expect(try read(["milk", "note"]).isPlain)
    }

    @Test("the words of a list that was saved mean what they mean to list")
    func named() throws {
        let search = try read(["milk"], filter: ["note", "garden", "sort:-entry"])
        #expect(search.words == ["milk"])
        #expect(search.filter.terms == [.collection("notes"), .text("garden")])
        #expect(search.filter.order == [SortKey("entry", descending: true)])
    }
}

@Suite("Filters as text")
struct FilterTextTests {
    @Test(
        "words with spaces are quoted so that they are read again",
        arguments: [
            (["+shop", "due<eow"], "+shop due<eow"), (["oat milk"], "\"oat milk\""),
            (["project:Big house"], "project:\"Big house\""), (["due:next friday", "x"], "due:\"next friday\" x"),
            (["a\"b c"], "\"a\\\"b c\""), ([""], "\"\""), ([], ""),
        ] as [([String], String)])
    func joined(words: [String], text: String) {
        #expect(FilterText.joined(words) == text)
    }
}

import LocalStore
import Records
import Testing

@Suite struct SearchTests {
    let store: LocalStore

    init() throws {
        store = try .inMemory()
        try store.writeNow { cache throws in
            for (id, title, body) in [
                ("milk", "Buy oat milk", "at the corner"), ("cafe", "Café in Zürich", "🍎 and quotes \"here\""),
                ("arab", "اشترِ كتاب جديد", "milk"), ("apple", "Ein 🍎 am Tag", ""),
            ] {
                try cache.edit(
                    RecordKey(collection: "tasks", id: id),
                    ["title": .string(title), "body": .string(body), "tags": ["red"], "nested": ["deep": ["pear"]]])
            }
            try cache.edit(RecordKey(collection: "conflicts", id: "c"), ["title": "milk"])
        }
    }

    private func found(_ words: String...) throws -> [String] {
        try store.writeNow { try $0.search(words, limit: 10).map(\.id) }
    }

    @Test func `words are found by their beginnings, in the title first`() throws {
        #expect(try found("mil") == ["milk", "arab"])
        #expect(try found("oat", "corn") == ["milk"])
        #expect(try found("oat", "tag") == [])
        #expect(try found("pear").count == 4)
        #expect(try found("red").count == 4)
    }

    @Test func `case and accents make no difference`() throws {
        #expect(try found("CAFE", "zurich") == ["cafe"])
        #expect(try found("Café") == ["cafe"])
    }

    @Test func `Arabic words and emoji are found`() throws {
        #expect(try found("كتا") == ["arab"])
        #expect(try found("🍎") == ["apple", "cafe"])
    }

    @Test func `what is no word finds nothing and is no error`() throws {
        for words in ["", "\"", "*", "-", "NOT", "NEAR(", "x\" OR \"y", "(", "\u{0}"] {
            #expect(try found(words) == [])
        }
        #expect(try store.writeNow { try $0.search([], limit: 10) } == [])
    }

    @Test func `a changed record is found by what it says now, a deleted one not at all`() throws {
        #expect(try found("corner") == ["milk"])
        let milk = RecordKey(collection: "tasks", id: "milk")
        try store.writeNow { _ = try $0.edit(milk, ["body": "in the cellar"]) }
        #expect(try found("corner") == [])
        #expect(try found("cellar") == ["milk"])
        try store.writeNow { try $0.delete(milk) }
        #expect(try found("cellar") == [])
        try store.writeNow { _ = try $0.takeClean(page: page([serverRecord(milk, ["title": "Rye"])])) }
        #expect(try found("rye") == ["milk"])
    }
}

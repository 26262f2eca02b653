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
        try store.writeNow { try $0.index.search(words, limit: 10).map(\.id) }
    }

    @Test func `words are found by their prefixes, first in titles`() throws {
        #expect(try found("mil") == ["milk", "arab"])
        #expect(try found("oat", "corn") == ["milk"])
        #expect(try found("oat", "tag") == [])
        #expect(try found("pear").count == 4)
        #expect(try found("red").count == 4)
    }

    @Test func `a word has the highest weight in the title, then as a tag or project, then in the rest`() throws {
        try store.writeNow { cache in
            for (id, fields) in [
                ("in-body", ["title": "A", "body": "about zebra"]), ("in-tag", ["title": "B", "tags": ["zebra"]]),
                ("in-project", ["title": "C", "project": "zebra", "tags": ["other"], "body": "x y"]),
                ("in-title", ["title": "D zebra"]),
            ] as [(String, JSONObject)] {
                try cache.edit(RecordKey(collection: "tasks", id: id), fields)
            }
        }
        let order = try found("zebra")
        #expect(order.first == "in-title" && order.last == "in-body")
        #expect(Set(order.dropFirst().dropLast()) == ["in-tag", "in-project"])
    }

    @Test func `times, states and an import's own fields aren't searched; annotations and custom fields are`() throws {
        let fields: JSONObject = [
            "title": "A", "status": "pending", "due": "2026-11-21T05:20:00Z", "taskwarrior": ["mark"], "mine": "heron",
            "annotations": [["entry": "2026-11-21T05:20:00Z", "description": "asked Zoë"]],
        ]
        try store.writeNow { _ = try $0.edit(RecordKey(collection: "tasks", id: "x"), fields) }
        for word in ["pending", "2026", "mark"] { #expect(try found(word) == []) }
        for word in ["heron", "zoe"] { #expect(try found(word) == ["x"]) }
    }

    @Test func `several words in one text must be adjacent`() throws {
        #expect(try found("oat mi") == ["milk"])
        #expect(try found("buy milk") == [])
    }

    @Test func `only the beginning of a run of letters without spaces is found, as in Chinese and Japanese texts`()
        throws
    {
        let key = RecordKey(collection: "tasks", id: "ja")
        try store.writeNow { _ = try $0.edit(key, ["title": "牛乳を買う", "body": "हिन्दी में"]) }
        #expect(try found("牛乳") == ["ja"])
        #expect(try found("買う") == [])
        #expect(try found("हिन्दी") == ["ja"])
    }

    @Test func `case and accents make no difference`() throws {
        #expect(try found("CAFE", "zurich") == ["cafe"])
        #expect(try found("Café") == ["cafe"])
    }

    @Test func `Arabic words and emoji are found`() throws {
        #expect(try found("كتا") == ["arab"])
        #expect(try found("🍎") == ["apple", "cafe"])
    }

    @Test func `an invalid word finds nothing and is no error`() throws {
        for words in ["", "\"", "*", "-", "NOT", "NEAR(", "x\" OR \"y", "(", "\u{0}"] {
            #expect(try found(words) == [])
        }
        #expect(try store.writeNow { try $0.index.search([], limit: 10) } == [])
    }

    @Test func `a changed record is found by its present text, a deleted one not at all`() throws {
        #expect(try found("corner") == ["milk"])
        let milk = RecordKey(collection: "tasks", id: "milk")
        try store.writeNow { _ = try $0.edit(milk, ["body": "in the cellar"]) }
        #expect(try found("corner") == [])
        #expect(try found("cellar") == ["milk"])
        try store.writeNow { try $0.delete(milk) }
        #expect(try found("cellar") == [])
        try store.writeNow { _ = try $0.replica.applyClean(records: page([serverRecord(milk, ["title": "Rye"])])) }
        #expect(try found("rye") == ["milk"])
    }
}

import Records
import Testing

@Suite("Three-way merge of records")
struct ThreeWayMergeTests {
    @Test("a field changed on one side gets that side's value and clock")
    func oneSide() {
        let base = side(["title": "Buy milk", "due": "2026-01-01T00:00:00Z"])
        let outcome = merged(
            base: base,
            side(["title": "Buy oat milk", "due": "2026-01-01T00:00:00Z"], ["title": 5]),
            side(["title": "Buy milk", "due": "2026-02-02T00:00:00Z"], ["due": 9]))
        #expect(outcome.fields == ["title": "Buy oat milk", "due": "2026-02-02T00:00:00Z"])
        #expect(outcome.clock["title"]?.milliseconds == 5)
        #expect(outcome.clock["due"]?.milliseconds == 9)
        #expect(outcome.conflicts.isEmpty)
    }

    @Test("a field removed on one side is removed")
    func removedOnOneSide() {
        let base = side(["title": "a", "due": "x"])
        let outcome = merged(base: base, side(["title": "a"], ["due": 4]), base)
        #expect(outcome.fields == ["title": "a"])
        #expect(outcome.clock["due"]?.milliseconds == 4)
    }

    @Test("a field changed to the same value on both sides has that value, with the later clock")
    func sameChange() {
        let outcome = merged(
            base: side(["n": 1]), side(["n": 2], ["n": 3]), side(["n": .number(JSONNumber(2.0)!)], ["n": 4]))
        #expect(outcome.fields == ["n": 2])
        #expect(outcome.clock["n"]?.milliseconds == 4)
        #expect(outcome.conflicts.isEmpty)
    }

    @Test("of two different changes the later one wins, and the other becomes a conflict")
    func latest() throws {
        let outcome = merged(
            base: side(["title": "a"]), side(["title": "mine"], ["title": 7]), side(["title": "theirs"], ["title": 6]))
        #expect(outcome.fields == ["title": "mine"])
        #expect(outcome.clock["title"]?.milliseconds == 7)
        let conflict = try #require(outcome.conflicts.first)
        #expect(outcome.conflicts.count == 1)
        #expect(conflict.field == "title")
        #expect(conflict.earlier.value == "theirs")
        #expect(conflict.later.value == "mine")
        #expect(conflict.kept == .later)
    }

    @Test("with equal clocks the content decides, the same on both devices")
    func equalClocks() {
        let outcome = merged(base: side(["title": "a"]), side(["title": "x"]), side(["title": "y"]))
        #expect(outcome.fields == ["title": "y"])
        #expect(outcome.conflicts.count == 1)
    }

    @Test("a removal and an edit of one field are a conflict, too, without a value on one side")
    func removalAgainstEdit() throws {
        let outcome = merged(
            base: side(["title": "a", "due": "x"]), side(["title": "a"], ["due": 8]),
            side(["title": "a", "due": "y"], ["due": 5]))
        #expect(outcome.fields == ["title": "a"])
        let conflict = try #require(outcome.conflicts.first)
        #expect(conflict.earlier.value == "y")
        #expect(conflict.later.value == nil)
    }

    @Test("tags get both sides' additions and lose both sides' removals, in canonical order, after both edits")
    func sets() {
        let outcome = merged(
            base: side(["tags": ["shop", "old", "gone"]]), side(["tags": ["shop", "old", "zoo"]], ["tags": 5]),
            side(["tags": ["gone", "shop", "apple"]], by: "e", ["tags": 6]))
        #expect(outcome.fields == ["tags": ["apple", "shop", "zoo"]])
        #expect(outcome.clock["tags"] == HLC(milliseconds: 6, counter: 1, device: "e"))
        #expect(outcome.conflicts.isEmpty)
    }

    @Test("annotations appended on two devices are all kept")
    func annotations() {
        let first: JSONValue = ["entry": "2026-01-01T00:00:00Z", "description": "first"]
        let mine: JSONValue = ["entry": "2026-01-02T00:00:00Z", "description": "mine"]
        let theirs: JSONValue = ["entry": "2026-01-03T00:00:00Z", "description": "theirs"]
        let outcome = merged(
            base: side(["annotations": [first]]), side(["annotations": [first, mine]], at: 2),
            side(["annotations": [theirs, first]], at: 3))
        #expect(outcome.fields["annotations"]?.array?.count == 3)
        #expect(outcome.conflicts.isEmpty)
    }

    @Test("a set is compared element by element in canonical form")
    func setElements() {
        let outcome = merged(
            base: side([:]), side(["tags": [["b": 1, "a": 2]]], at: 2), side(["tags": [["a": 2, "b": 1], "x"]], at: 3))
        #expect(outcome.fields == ["tags": ["x", ["a": 2, "b": 1]]])
    }

    @Test("a set that isn't an array on one side merges as latest, and nothing is lost")
    func oddSet() {
        let outcome = merged(base: side([:]), side(["tags": "shop"], at: 2), side(["tags": ["x"]], at: 3))
        #expect(outcome.fields == ["tags": ["x"]])
        #expect(outcome.conflicts.count == 1)
    }

    @Test("bodies merge line by line")
    func texts() {
        let outcome = merged(
            base: side(["body": "one\ntwo\nthree\n"]), side(["body": "ONE\ntwo\nthree\n"], at: 2),
            side(["body": "one\ntwo\nthree\nfour\n"], at: 3))
        #expect(outcome.fields == ["body": "ONE\ntwo\nthree\nfour\n"])
        #expect(outcome.clock["body"] == HLC(milliseconds: 3, counter: 1, device: "d"))
        #expect(outcome.conflicts.isEmpty)
    }

    @Test("lines changed on both sides stay in the body in both versions, and make a conflict")
    func overlappingTexts() throws {
        let outcome = merged(
            base: side(["body": "a\nb\nc"]), side(["body": "a\nMINE\nc"], at: 9), side(["body": "a\nTHEIRS\nc"], at: 3))
        #expect(
            outcome.fields["body"]
                == "a\n<<<<<<< earlier\nTHEIRS\n=======\nMINE\n>>>>>>> later\nc")
        let conflict = try #require(outcome.conflicts.first)
        #expect(conflict.kept == .both)
        #expect(conflict.earlier.value == "a\nTHEIRS\nc")
        #expect(conflict.later.value == "a\nMINE\nc")
    }

    @Test("a body that isn't a text on one side merges as latest")
    func oddText() {
        let outcome = merged(base: nil, side(["body": 1], at: 5), side(["body": "x"], at: 3))
        #expect(outcome.fields == ["body": 1])
        #expect(outcome.conflicts.first?.kept == .later)
    }

    @Test("unknown fields and unknown collections merge as latest")
    func unknown() {
        let type = RecordTypes.standard["recipes"]
        #expect(type.collection == "recipes")
        let outcome = merged(base: nil, side(["tags": ["a"]], at: 1), side(["tags": ["b"]], at: 2), type: type)
        #expect(outcome.fields == ["tags": ["b"]])
        #expect(outcome.conflicts.count == 1)
    }

    @Test("without a base, both sides' fields are kept")
    func noBase() {
        let outcome = merged(
            base: nil, side(["title": "a", "tags": ["x"], "body": "t"], at: 1),
            side(["title": "a", "tags": ["y"], "project": "p"], at: 2))
        #expect(outcome.fields == ["title": "a", "tags": ["x", "y"], "body": "t", "project": "p"])
        #expect(outcome.conflicts.isEmpty)
    }

    @Test("names are compared byte by byte: a composed and a decomposed one are two fields")
    func exactNames() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        var mine = JSONObject()
        mine[composed] = 1
        var theirs = JSONObject()
        theirs[decomposed] = 2
        let outcome = merged(base: nil, side(mine), side(theirs))
        #expect(outcome.fields.count == 2)
        #expect(outcome.fields[composed] == 1)
        #expect(outcome.fields[decomposed] == 2)
    }

    @Test("a top-level null is an absent field")
    func nulls() {
        let outcome = merged(base: side(["due": "x"]), side(["due": .null], at: 2), side(["due": "x"]))
        #expect(outcome.fields.isEmpty)
    }

    @Test("The completion time of a task is the later one, without a conflict")
    func noted() {
        let base = side(["status": "pending"])
        let mine = side(["status": "completed", "end": "2026-11-21T05:00:00Z"], by: "a", ["status": 5, "end": 5])
        let theirs = side(["status": "completed", "end": "2026-11-21T06:00:00Z"], by: "b", ["status": 7, "end": 7])
        let outcome = merged(base: base, mine, theirs)
        #expect(outcome.fields == theirs.fields && outcome.conflicts.isEmpty)
    }
}

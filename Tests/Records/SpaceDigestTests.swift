import Records
import Testing

@Suite("The digest of a space")
struct SpaceDigestTests {
    @Test("it is the sum of the first halves of the records' hashes")
    func value() {
        var digest = SpaceDigest()
        #expect(digest.description == "00000000000000000000000000000000")
        digest.add(collection: "tasks", id: "a", version: 1)
        #expect(digest.description == "c0b5ff91a25f464124dc6124e12706f6")
        digest.add(collection: "notes", id: "b", version: 42)
        #expect(digest.description == "96269359571856608b7d43276ac537f9")
    }

    @Test("the order doesn't matter, and removing reverts adding")
    func sum() {
        var one = SpaceDigest()
        one.add(collection: "tasks", id: "a", version: 1)
        one.add(collection: "tasks", id: "b", version: 2)
        var other = SpaceDigest()
        other.add(collection: "tasks", id: "b", version: 2)
        other.add(collection: "tasks", id: "a", version: 1)
        #expect(one == other)
        other.remove(collection: "tasks", id: "a", version: 1)
        #expect(one != other)
        other.remove(collection: "tasks", id: "b", version: 2)
        #expect(other == SpaceDigest())
    }

    @Test("it survives a round trip through its text, and other texts are refused")
    func text() {
        var digest = SpaceDigest()
        digest.add(collection: "tasks", id: "a", version: 1)
        #expect(SpaceDigest(digest.description) == digest)
        for text in [
            "", "0", String(repeating: "g", count: 32), "+" + String(repeating: "0", count: 31),
            "-" + String(repeating: "0", count: 31),
        ] {
            #expect(SpaceDigest(text) == nil)
        }
    }
}

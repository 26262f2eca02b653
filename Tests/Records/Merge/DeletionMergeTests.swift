import Records
import Testing

@Suite("Merge of deletions")
struct DeletionMergeTests {
    private let base = side(["title": "a"], at: 1)

    @Test("deleted against edited: the edit wins")
    func editWins() {
        let edited = side(["title": "b"], ["title": 2])
        let outcome = merged(base: base, tombstone(of: base), edited)
        #expect(outcome.side == edited)
        #expect(outcome.conflicts.isEmpty)
    }

    @Test("if only the version changed, the record stays deleted")
    func deletionStays() {
        let touched = side(["title": "a"], ["title": 2])
        let outcome = merged(base: base, tombstone(of: base), touched)
        #expect(outcome.deleted)
        #expect(outcome.fields.isEmpty)
    }

    @Test("deleted on both sides is deleted, with the later clocks")
    func bothDeleted() {
        let other = side(["title": "b"], ["title": 5])
        let outcome = merged(base: base, tombstone(of: base), tombstone(of: other))
        #expect(outcome.deleted)
        #expect(outcome.clock["title"]?.milliseconds == 5)
    }

    @Test("without a base, a deletion wins if it had seen every edit of the other side")
    func decidedByClocks() {
        let seen = side(["title": "a", "due": "x"], at: 3, ["due": 4])
        #expect(merged(base: nil, tombstone(of: seen), seen).deleted)
        let newer = side(["title": "a", "due": "y"], at: 3, ["due": 5])
        #expect(merged(base: nil, tombstone(of: seen), newer).side == newer)
    }

    @Test("a tombstone is no base: a revival is kept next to the deletion that it reverts")
    func revival() {
        let revived = side(["title": "again"], at: 8)
        #expect(merged(base: tombstone(of: base), tombstone(of: base), revived).side == revived)
    }

    @Test("a conflict that was dismissed is never revived")
    func dismissed() {
        let conflict = side(["field": "title"], at: 2)
        let type = ConflictRecord.type
        #expect(merged(base: nil, tombstone(of: side([:], at: 1)), conflict, type: type).deleted)
        #expect(merged(base: side([:]), tombstone(of: conflict), conflict, type: type).deleted)
    }

    @Test("two different copies of a conflict create no further conflict")
    func derived() {
        let outcome = merged(base: nil, side(["a": 1], at: 1), side(["a": 2], at: 2), type: ConflictRecord.type)
        #expect(outcome.fields == ["a": 2])
        #expect(outcome.conflicts.isEmpty)
    }
}

import LocalStore
import Records
import TestSupport
import Testing

@Suite struct CachedRecordTests {
    @Test func `a new record is pending, has one time for all fields and no nulls`() {
        let made = CachedRecord.created(key, fields: ["title": "Milk", "due": .null], at: moment(5))
        #expect(made.record.fields == ["title": "Milk"])
        #expect(made.record.clock == FieldClocks(all: moment(5)))
        #expect(made.record.version == 0)
        #expect(made.pending == .init(at: moment(5)))
        #expect(made.mirror == nil && made.seen == nil)
    }

    @Test func `an edit of a clean record keeps the server's state as the mirror`() {
        let edited = CachedRecord(record: serverRecord()).edited(["title": "Oat milk"], at: moment(5))
        #expect(edited.record.fields == ["title": "Oat milk"])
        #expect(edited.record.clock["title"] == moment(5))
        #expect(edited.record.clock["project"] == moment(1, "there"))
        #expect(edited.mirror == serverRecord())
        #expect(edited.seen == serverRecord())
        #expect(edited.pending == .init(at: moment(5)))
    }

    @Test func `null removes a field and gives it a time`() {
        let edited = CachedRecord(record: serverRecord()).edited(["title": .null], at: moment(5))
        #expect(edited.record.fields == [:])
        #expect(edited.record.clock["title"] == moment(5))
    }

    @Test(arguments: [["title": "Milk"], ["due": .null], [:]] as [JSONObject])
    func `an edit without a change leaves the record unchanged`(patch: JSONObject) {
        let clean = CachedRecord(record: serverRecord())
        #expect(clean.edited(patch, at: moment(5)) == clean)
    }

    @Test func `an undone edit leaves the record clean`() {
        let clean = CachedRecord(record: serverRecord())
        let back = clean.edited(["title": "Oat milk"], at: moment(5)).edited(["title": "Milk"], at: moment(6))
        #expect(back == clean)
    }

    @Test func `an edit undone while it is in flight stays pending`() {
        var sent = CachedRecord(record: serverRecord()).edited(["title": "Oat milk"], at: moment(5))
        sent.pending?.sent = 1
        let back = sent.edited(["title": "Milk"], at: moment(6))
        #expect(back.pending == .init(at: moment(6), edits: 2, sent: 1))
        #expect(back.tidied() == back)
    }

    @Test func `a deletion keeps the last state as the base of a revival`() throws {
        let deleted = try #require(CachedRecord(record: serverRecord()).deleted(at: moment(5)))
        #expect(deleted.record.deleted)
        #expect(deleted.record.fields == ["title": "Milk"])
        #expect(deleted.mirror == serverRecord())
        #expect(deleted.deleted(at: moment(6)) == deleted)
        #expect(deleted.edited(["title": "Milk"], at: moment(7)) == CachedRecord(record: serverRecord()))
    }

    @Test func `a record that no server can know is deleted without a trace`() {
        #expect(CachedRecord.created(key, fields: [:], at: moment(5)).deleted(at: moment(6)) == nil)
    }

    @Test func `a record that is in flight for the first time stays as a tombstone`() throws {
        var sent = CachedRecord.created(key, fields: [:], at: moment(5))
        sent.pending?.sent = 1
        let deleted = try #require(sent.deleted(at: moment(6)))
        #expect(deleted.record.deleted && deleted.pending?.edits == 2 && deleted.mirror == nil)
    }

    @Test func `a dismissed conflict stays as a tombstone even if it was never sent`() throws {
        let conflict = RecordKey(collection: "conflicts", id: "c")
        let dismissed = CachedRecord.created(conflict, fields: [:], at: moment(5)).deleted(at: moment(6))
        #expect(dismissed?.record.deleted == true)
    }

    @Test func `an imported record stays as a tombstone even if it was never sent, so that no import revives it`() {
        let fields: JSONObject = ["title": "Milk", "taskwarrior": ["title:0"]]
        let deleted = CachedRecord.created(key, fields: fields, at: moment(5)).deleted(at: moment(6))
        #expect(deleted?.record.deleted == true && deleted?.mirror == nil)
        #expect(deleted?.pending == .init(at: moment(6), edits: 2))
    }

    @Test func `a tombstone is revived with all its fields`() {
        let revived = CachedRecord(record: serverRecord(deleted: true)).edited(["due": "tomorrow"], at: moment(5))
        #expect(!revived.record.deleted)
        #expect(revived.record.fields == ["title": "Milk", "due": "tomorrow"])
        #expect(revived.mirror == serverRecord(deleted: true))
    }

    @Test func `an edit of a rejected record may be sent again`() {
        var refused = CachedRecord.created(key, fields: ["title": "Milk"], at: moment(5))
        refused.pending?.rejection = Rejection(code: "too-large", reason: "Too large.")
        #expect(refused.edited(["title": "M"], at: moment(6)).pending?.rejection == nil)
    }
}

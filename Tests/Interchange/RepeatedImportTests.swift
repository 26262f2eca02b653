import Records
import Testing

@testable import Interchange

@Suite("Importing a file again")
struct RepeatedImportTests {
    private typealias Import = TaskwarriorImportTests

    private func record(_ fields: JSONObject, deleted: Bool = false) -> Record {
        Record(key: RecordKey(collection: "tasks", id: "t"), deleted: deleted, fields: fields)
    }

    /// The fields after an import.
    private func imported(_ task: ImportedRecord, into fields: JSONObject? = nil) -> JSONObject {
        switch Taskwarrior.plan(task, existing: fields.map { record($0) }) {
        case .unchanged: fields ?? [:]
        case .create(let created): created
        case .update(let patch, kept: _): (fields ?? [:]).applying(patch)
        }
    }

    @Test("the same file changes nothing")
    func same() throws {
        for task in try Taskwarrior.parse(Array(Samples.export.utf8)) {
            #expect(Taskwarrior.plan(task, existing: record(imported(task))) == .unchanged)
        }
    }

    @Test("the same file reverts no local edit: changed, removed and added fields stay, a deleted task stays deleted")
    func localEdits() throws {
        let task = try Import.task("a", #""tags": ["x"], "due": "20241022T233747Z""#)
        let edited = imported(task).applying([
            "title": "b", "due": .null, "tags": ["y"], "body": "new", "status": "completed",
        ])
        #expect(Taskwarrior.plan(task, existing: record(edited)) == .unchanged)
        #expect(Taskwarrior.plan(task, existing: record([:], deleted: true)) == .unchanged)
    }

    @Test("what the file has changed since is applied; what it dropped is removed")
    func changedFile() throws {
        let before = imported(try Import.task("a", #""tags": ["x"], "due": "20241022T233747Z", "project": "p""#))
        let after = imported(
            try Import.task("b", #""tags": ["x", "y"], "project": "p", "priority": "H""#), into: before)
        var plain = after
        plain["taskwarrior"] = nil
        #expect(plain == ["title": "b", "tags": ["x", "y"], "project": "p", "priority": "H"])
    }

    @Test("a field changed in the file and here keeps its local value, and is named")
    func bothChanged() throws {
        let before = imported(try Import.task("a", #""project": "p", "priority": "L""#))
        let edited = before.applying(["title": "mine", "priority": .null])
        let newer = try Import.task("theirs", #""project": "q", "priority": "H""#)
        guard case .update(let patch, let kept) = Taskwarrior.plan(newer, existing: record(edited)) else {
            Issue.record("an update was expected")
            return
        }
        #expect(patch["project"] == "q" && patch["title"] == nil && patch["priority"] == nil)
        #expect(kept == ["priority", "title"])
    }

    @Test("a local edit outlives any number of newer files")
    func severalFiles() throws {
        var fields = imported(try Import.task("a")).applying(["title": "mine"])
        for (index, project) in ["p", "q", "r"].enumerated() {
            fields = imported(try Import.task("a\(index)", #""project": "\#(project)""#), into: fields)
            #expect(fields["title"] == "mine")
            #expect(fields["project"] == .string(project))
        }
    }

    @Test("annotations of the file and local ones are joined")
    func annotations() throws {
        func remark(_ text: String) -> JSONValue { ["entry": "2024-10-22T23:37:47Z", "description": .string(text)] }
        func file(_ texts: [String]) throws -> ImportedRecord {
            let list = texts.map { #"{"entry": "20241022T233747Z", "description": "\#($0)"}"# }.joined(separator: ",")
            return try Import.task("a", #""annotations": [\#(list)]"#)
        }
        let edited = imported(try file(["one"])).applying(["annotations": [remark("one"), remark("mine")]])
        let joined = imported(try file(["one", "two"]), into: edited)
        #expect(joined["annotations"] == [remark("one"), remark("mine"), remark("two")])
        #expect(imported(try file(["one", "two", "three"]), into: joined)["annotations"]?.array?.count == 4)
    }

    @Test("a record that was not imported keeps its fields and gets the missing ones")
    func foreignRecord() throws {
        let fields = imported(try Import.task("a", #""project": "p""#), into: ["title": "mine", "body": "text"])
        #expect(fields["title"] == "mine" && fields["body"] == "text" && fields["project"] == "p")
        #expect(
            Taskwarrior.plan(try Import.task("a", #""project": "p""#), existing: record(fields)) == .unchanged)
    }

    @Test("two devices that import different files merge without a conflict")
    func twoDevices() throws {
        let (one, other) = (
            imported(try Import.task("a", #""tags": ["x"]"#)), imported(try Import.task("a", #""tags": ["y"]"#))
        )
        func side(_ fields: JSONObject, _ device: String) -> ThreeWayMerge.Side {
            ThreeWayMerge.Side(fields: fields, clock: FieldClocks(all: HLC(milliseconds: 1, device: device)))
        }
        let outcome = ThreeWayMerge.merge(
            base: nil, mine: side(one, "a"), theirs: side(other, "b"), type: TaskRecord.type)
        #expect(outcome.conflicts.isEmpty)
        #expect(outcome.fields["tags"] == ["x", "y"])
        #expect(imported(try Import.task("a", #""tags": ["y"]"#), into: outcome.fields)["tags"] == ["x", "y"])
    }

    @Test("3,000 generated tasks are imported; a second import changes nothing")
    func many() throws {
        let entries = (0..<3_000).map { Import.entry("task \($0)", #""tags": ["t\#($0 % 7)"]"#, uuid: $0) }
        let tasks = try Taskwarrior.parse(Array("[\(entries.joined(separator: ",\n"))]".utf8))
        #expect(tasks.count == 3_000)
        for task in tasks { #expect(Taskwarrior.plan(task, existing: record(imported(task))) == .unchanged) }
    }
}

import Records
import Testing

@Suite("Tasks and notes")
struct TaskRecordTests {
    private let moment = Timestamp(seconds: 1_795_238_520)

    @Test("fields are read and written by name, unknown ones are kept")
    func fields() throws {
        var task = TaskRecord(fields: ["recur": "weekly", "title": "a"])
        task.title = "b"
        task.body = "text"
        task.project = "p"
        task.tags = ["x", "y"]
        task.priority = .high
        task.due = .time(moment)
        task.annotations = [Annotation(entry: moment, description: "n")]
        #expect(
            task.fields == [
                "recur": "weekly", "title": "b", "body": "text", "project": "p", "tags": ["x", "y"], "priority": "H",
                "due": "2026-11-21T05:22:00Z", "annotations": [["entry": "2026-11-21T05:22:00Z", "description": "n"]],
            ])
        #expect(task.tags == ["x", "y"] && task.priority == .high && task.due == .time(moment) && task.body == "text")
        #expect(task.annotations.map(\.description) == ["n"])
        (task.body, task.project, task.tags, task.priority, task.due, task.annotations) = (nil, nil, [], nil, nil, [])
        #expect(task.fields == ["recur": "weekly", "title": "b"])
    }

    @Test("values of another shape are read as absent and kept")
    func oddShapes() {
        let fields: JSONObject = ["title": 1, "tags": "x", "due": "soon", "priority": "urgent", "status": 5]
        let task = TaskRecord(fields: fields)
        #expect(task.title.isEmpty && task.tags.isEmpty && task.due == nil && task.priority == nil)
        #expect(task.status == .pending)
        #expect(task.fields == fields)
    }

    @Test("a task is created, completed and reopened")
    func lifecycle() throws {
        var task = TaskRecord(title: "a", entry: moment)
        #expect(task.fields == ["title": "a", "entry": "2026-11-21T05:22:00Z", "status": "pending"])
        let made = task
        let closing = try #require(TaskRecord.type.closing)
        #expect(!TaskRecord.type.isClosed(task.fields))
        task.fields = task.fields.applying(closing.completing(task.fields, at: moment))
        #expect(task.status == .completed && task.end == moment)
        #expect(TaskRecord.type.isClosed(task.fields))
        task.fields = task.fields.applying(closing.reopening(task.fields))
        #expect(task == made)
    }

    @Test("an annotation is added to the others, whatever they are")
    func annotate() {
        var task = TaskRecord(fields: ["annotations": [1, ["entry": "x"]]])
        task.fields.annotate("new", at: moment)
        #expect(task.fields["annotations"]?.array?.count == 3)
        #expect(task.annotations.count == 1)
    }

    @Test("a note has a title, a body and tags")
    func note() {
        var note = NoteRecord(title: "a", entry: moment)
        note.body = "text"
        note.tags = ["t"]
        #expect(note.fields == ["title": "a", "entry": "2026-11-21T05:22:00Z", "body": "text", "tags": ["t"]])
        #expect(note.title == "a" && note.body == "text" && note.tags == ["t"] && note.entry == moment)
    }

    @Test("limits are in bytes of UTF-8, inclusive")
    func limits() throws {
        let catalog = RecordTypes.standard.catalog
        try FieldLimits.check(
            ["title": .string(String(repeating: "é", count: 8 << 10)), "body": .string("a\nb"), "x": 1], catalog)
        for patch: JSONObject in [
            ["title": .string(String(repeating: "é", count: 8 << 10) + "x")],
            ["body": .string(String(repeating: "x", count: (256 << 10) + 1))],
            ["tags": [.string(String(repeating: "x", count: 257))]], ["title": .null],
        ] {
            #expect(throws: InvalidField.self) { try FieldLimits.check(patch, catalog) }
        }
    }
}

import CanonicalJSON
import ControllerKit
import Testing

@MainActor
@Suite("Import and export by commands", .timeLimit(.minutes(5)))
struct InterchangeCommandsTests {
    /// Adds tasks and notes of all kinds: five tasks, two notes.
    private func fill(_ device: CommandDevice) async throws {
        try await device.run("add", #"Buy "milk", or not"#, "+shop", "priority:H", "project:home", "due:2031-01-05")
        try await device.run("add", "=1+1", "+a", "+b")
        try await device.run("add", "Grüße 🚲", "field.estimate:3")
        let done = try await device.add("Done already")
        try await device.run("done", done)
        let remarked = try await device.add("With an annotation")
        try await device.run("annotate", remarked, "so, it\tis")
        device.files["body.txt"] = "one\r\n\n---\n\ttwo\n"
        try await device.run("note", "Garden/plan", "+garden", "--body-file", "body.txt")
        try await device.run("note", "Garden-plan")
    }

    /// A device with records, and one without.
    private func devices() async throws -> (filled: CommandDevice, other: CommandDevice) {
        let account = try SharedServer()
        let (filled, other) = (try await account.device(), try await account.device())
        try await fill(filled)
        return (filled, other)
    }

    /// The fields of all records by id, without those of imports and with their sets in order.
    private func fields(of device: CommandDevice, _ collection: String) async throws -> [String: JSONObject] {
        var all: [String: JSONObject] = [:]
        for record in try await device.records(collection) {
            var fields = record.fields
            fields["taskwarrior"] = nil
            for name in ["tags", "annotations"] {
                guard let elements = fields[name]?.array else { continue }
                fields[name] = .array(elements.sorted { $0.canonical < $1.canonical })
            }
            all[record.id] = fields
        }
        return all
    }

    @Test("Everything survives a round trip, and importing it again changes nothing", arguments: ["satchel", "csv"])
    func roundTrip(format: String) async throws {
        let (filled, other) = try await devices()
        other.files["-"] = try await filled.run("export", format, "-").out
        try await other.run("import", format, "-")
        for (collection, count) in [("tasks", 5), ("notes", 2)] {
            let before = try await fields(of: filled, collection)
            #expect(before.count == count)
            #expect(try await fields(of: other, collection) == before)
        }
        let again = try await other.run("import", format, "-")
        #expect(again.err.contains("0 new, 0 changed, 7 unchanged"), "\(again.err)")
    }

    @Test("A line that was edited in todo.txt is updated")
    func editedLine() async throws {
        let (device, _) = try await devices()
        let exported = try await device.run("export", "todotxt", "-")
        #expect(exported.err.contains("2 notes can't be stored in todo.txt"), "\(exported.err)")
        device.files["todo.txt"] = exported.out.replacing("(A) ", with: "(B) ")
        let imported = try await device.run("import", "todotxt", "todo.txt")
        #expect(imported.err.contains("0 new, 1 changed, 4 unchanged"), "\(imported.err)")
        let priorities = try await device.records("tasks").map { $0.fields["priority"]?.string ?? "" }
        #expect(priorities.sorted() == ["", "", "", "", "M"])
    }

    @Test(
        "An import recognises the format by the text of the standard input",
        arguments: [("satchel", 7), ("csv", 7), ("taskwarrior", 5), ("markdown", 2)])
    func recognisedFormat(format: String, count: Int) async throws {
        let (filled, other) = try await devices()
        other.files["-"] = try await filled.run("export", format, "-").out
        try await other.run("import", "-")
        #expect(try await other.records().count == count)
    }

    @Test("`export todotxt` writes to the standard output, `import todotxt -` reads the standard input")
    func todoTxtByPipe() async throws {
        let (filled, other) = try await devices()
        other.files["-"] = try await filled.run("export", "todotxt").out
        try await other.run("import", "todotxt", "-")
        #expect(try await other.records("tasks").count == 5)
    }

    @Test(
        "An error is reported with its place, and nothing is imported",
        arguments: [
            ("csv", "title,due\na,soon\n", "line 2"), ("csv", "title\n\"a", "line 2, column 1"),
            ("csv", "a,b\n", "line 1"), ("todotxt", "a\nb due:2026-02-30\n", "line 2, column 3"),
            ("satchel", "{\n]", "line 2, column 1"), ("taskwarrior", "[\n{},]", "line 2"),
            ("markdown", "# A note", "folder"),
        ])
    func invalidFile(format: String, text: String, place: String) async throws {
        let device = try await SharedServer().device()
        device.files["file"] = text
        let answer = try await device.attempt("import", format, "file")
        #expect(answer.status == .rejected)
        #expect(answer.err.contains(place), "\(answer.err)")
        #expect(try await device.records().isEmpty)
    }

    @Test("A file whose name and text don't show the format is refused")
    func unknownFormat() async throws {
        let device = try await SharedServer().device()
        device.files["file"] = "Buy milk\n"
        for words in [["import", "file"], ["export", "file.xyz"]] {
            let answer = try await device.attempt(words)
            #expect(answer.status == .usage)
            #expect(answer.err.contains("doesn't show the format"), "\(answer.err)")
        }
        #expect(try await device.records().isEmpty)
    }
}

import CanonicalJSON
import ControllerKit
import Testing

@MainActor
@Suite("Undo by commands, and a record's history on the server", .timeLimit(.minutes(5)))
struct UndoCommandsTests {
    private let account: SharedServer
    private let laptop: CommandDevice
    private let desktop: CommandDevice
    /// The task “Buy milk”, which both devices have.
    private let id: String

    init() async throws {
        account = try SharedServer()
        (laptop, desktop, id) = try await account.two()
    }

    // MARK: Undo

    @Test("`undo` reverts one command at a time without a server, and `redo` repeats them")
    func steps() async throws {
        let device = try CommandDevice.alone()
        var ids: [String] = []
        for title in ["One", "Two", "Three"] { ids.append(try await device.add(title)) }
        try await device.run("done", ids[0], ids[1], ids[2])
        let before = try await device.records()
        try await device.run("rm", ids[0], ids[1], ids[2])
        #expect(try await device.titles().isEmpty)
        #expect(try await device.run("undo").err.contains("Undid `rm`: 3 records."))
        #expect(try await device.records() == before)
        try await device.run("undo")
        #expect(try await device.records().map { $0.fields["status"]?.string } == ["pending", "pending", "pending"])
        for _ in ids { try await device.run("undo") }
        #expect(try await device.titles().isEmpty)
        #expect(try await device.attempt("undo").status == .notFound)
        for _ in 0..<5 { try await device.run("redo") }
        #expect(try await device.titles().isEmpty)
        try await device.run("undo")
        #expect(try await device.titles() == ["One", "Three", "Two"])
    }

    @Test("`undo` reverts a whole import")
    func largeImport() async throws {
        let device = try CommandDevice.alone()
        try await device.run("add", "Mine")
        device.files["tasks.json"] = Self.taskwarriorExport(of: 300)
        try await device.run("import", "taskwarrior", "tasks.json")
        #expect(try await device.titles().count == 301)
        #expect(try await device.run("undo").err.contains("300 records"))
        #expect(try await device.titles() == ["Mine"])
        try await device.run("redo")
        #expect(try await device.titles().count == 301)
    }

    /// Tasks as Taskwarrior exports them; every third one is completed.
    private static func taskwarriorExport(of count: Int) -> String {
        let tasks = (1...count).map { number in
            let rest =
                number.isMultiple(of: 3)
                ? #""status":"completed","end":"20260103T000000Z""#
                : #""status":"pending","tags":["shop"],"due":"20270101T000000Z""#
            // The last group of a UUID has 12 digits.
            let uuid = "00000000-0000-4000-8000-\(100_000_000_000 + number)"
            return #"{"uuid":"\#(uuid)","description":"Task \#(number)","entry":"20260101T000000Z",\#(rest)}"#
        }
        return "[\n" + tasks.joined(separator: ",\n") + "\n]\n"
    }

    @Test("After a sync, undo is a new edit for all devices")
    func afterSync() async throws {
        try await laptop.run("edit", id, "--title", "Buy oat milk", "priority:H")
        try await meet(laptop, desktop)
        try await laptop.run("undo")
        try await meet(laptop, desktop)
        let fields = try await desktop.fields(id)
        #expect(fields["title"] == "Buy milk" && fields["priority"] == nil)
    }

    @Test("Undo keeps what another device changed since, and reports it")
    func changedSince() async throws {
        try await laptop.run("edit", id, "--title", "Buy oat milk", "priority:H")
        try await meet(laptop, desktop)
        try await desktop.run("edit", id, "--title", "Buy rice milk")
        try await meet(laptop, desktop)
        #expect(try await laptop.run("undo").err.contains("the title of “Buy rice milk”, changed since"))
        try await meet(laptop, desktop)
        let fields = try await desktop.fields(id)
        #expect(fields["title"] == "Buy rice milk" && fields["priority"] == nil)
        #expect(try await desktop.records("conflicts").isEmpty)
    }

    @Test("Undo of a text keeps the lines that another device wrote since")
    func text() async throws {
        let lines = (0..<10).map { "line \($0)" }
        try await laptop.write(id, lines)
        try await laptop.write(id, ["mine"] + lines)
        try await meet(laptop, desktop)
        try await desktop.write(id, ["mine"] + lines + ["theirs"])
        try await meet(laptop, desktop)
        try await laptop.run("undo")
        try await meet(laptop, desktop)
        #expect(try await desktop.lines(id) == lines + ["theirs"])
    }

    @Test("Undo while offline is merged with concurrent changes of others")
    func offline() async throws {
        try await laptop.run("done", id)
        try await meet(laptop, desktop)
        try await laptop.run("undo")
        try await desktop.run("edit", id, "due:2031-05-05")
        try await meet(laptop, desktop)
        let fields = try await laptop.fields(id)
        #expect(fields["status"] == "pending")
        #expect(fields["due"]?.string?.hasPrefix("2031-05-05") == true)
    }

    @Test("Undo of a deletion and of a creation reaches the other device")
    func deletionAndCreation() async throws {
        try await laptop.run("rm", id)
        try await laptop.run("add", "Another")
        try await meet(laptop, desktop)
        try await laptop.run("undo")
        try await laptop.run("undo")
        try await meet(laptop, desktop)
        #expect(try await desktop.titles() == ["Buy milk"])
    }

    @Test("A record that another device deleted since stays deleted")
    func deletedSince() async throws {
        try await laptop.run("rm", id)
        try await meet(laptop, desktop)
        let first = try #require(try await versions(on: desktop).last)
        try await desktop.run("restore", id, String(first))
        try await meet(laptop, desktop)
        try await desktop.run("rm", id)
        try await meet(laptop, desktop)
        #expect(try await laptop.run("undo").err.contains("“Buy milk”, deleted since"))
        try await meet(laptop, desktop)
        #expect(try await desktop.titles().isEmpty)
    }

    @Test("The journal lists the last commands")
    func journal() async throws {
        let device = try CommandDevice.alone()
        let id = try await device.add("Buy milk")
        try await device.run("done", id)
        try await device.run("undo")
        let lines = try await device.run("journal").out.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count > 1)
        #expect(Set(lines[0].split(separator: " ")).isSuperset(of: ["undone", "done"]))
        #expect(lines[0].contains("Buy milk"))
        #expect(lines[1].contains("add") && !lines[1].contains("undone"))
    }

    @Test("The journal has the title of a record whose addition was undone")
    func journalAfterUndoneAddition() async throws {
        let device = try CommandDevice.alone()
        let id = try await device.add("Buy milk")
        try await device.run("done", id)
        for _ in 0..<2 { try await device.run("undo") }
        let journal = try await device.run("journal").out
        #expect(!journal.contains(id))
        #expect(journal.split(separator: "\n").count { $0.contains("“Buy milk”") } == 2)
    }

    // MARK: History

    /// The versions of the task in `history`, the newest first.
    private func versions(on device: CommandDevice) async throws -> [Int64] {
        let revisions = try await device.state("history", id)["revisions"]?.array ?? []
        return try revisions.map { revision in try #require(revision.object?["version"]?.integer) }
    }

    @Test("The history shows what was changed, the newest first, with the unsent edits")
    func history() async throws {
        try await laptop.run("edit", id, "--title", "Buy oat milk")
        try await meet(laptop, desktop)
        try await desktop.run("edit", id, "priority:H")
        try await meet(laptop, desktop)
        try await laptop.run("edit", id, "project:home")
        let out = try await laptop.run("history", id).out
        let lines = out.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count > 2)
        #expect(lines[0] == "Buy oat milk")
        #expect(lines[1].hasPrefix("unsent") && lines[2].contains("project: home"))
        #expect(out.contains("created"))
        let priority = try #require(out.firstRange(of: "priority: H"))
        let title = try #require(out.firstRange(of: "title: Buy milk → Buy oat milk"))
        #expect(priority.lowerBound < title.lowerBound)
    }

    @Test("`restore` restores a revision by a new edit")
    func restored() async throws {
        try await laptop.run("edit", id, "--title", "Buy oat milk", "priority:H")
        try await meet(laptop, desktop)
        let first = try #require(try await versions(on: desktop).last)
        try await desktop.run("restore", id, String(first))
        try await meet(laptop, desktop)
        let fields = try await laptop.fields(id)
        #expect(fields["title"] == "Buy milk" && fields["priority"] == nil)
        #expect(try await versions(on: laptop).count == 3)
        #expect(try await desktop.attempt("restore", id, "999999").status == .notFound)
    }

    @Test("A deleted record is restored from its history")
    func restoredDeletion() async throws {
        try await laptop.run("rm", id)
        try await meet(laptop, desktop)
        let versions = try await versions(on: desktop)
        try #require(versions.count == 2)
        #expect(try await desktop.attempt("restore", id, String(versions[0])).status == .usage)
        try await desktop.run("restore", id, String(versions[1]))
        try await meet(laptop, desktop)
        #expect(try await laptop.titles() == ["Buy milk"])
    }
}

import CanonicalJSON
import Testing

@MainActor
@Suite("Two devices that edit offline and sync later", .timeLimit(.minutes(5)))
struct TwoDevicesTests {
    /// Two devices that have the same task with two tags, and its id.
    private func shared(
        on account: SharedServer
    ) async throws -> (laptop: CommandDevice, desktop: CommandDevice, id: String) {
        let (laptop, desktop) = (try await account.device(), try await account.device())
        let id = try await laptop.add("Buy milk", "+shop", "+later")
        try await meet(laptop, desktop)
        return (laptop, desktop, id)
    }

    /// The tags of a record, sorted.
    private func tags(_ fields: JSONObject) -> [String] {
        (fields["tags"]?.array ?? []).compactMap(\.string).sorted()
    }

    @Test("Edits of different fields are both kept")
    func differentFields() async throws {
        let (laptop, desktop, id) = try await shared(on: SharedServer())
        try await laptop.run("edit", id, "--title", "Buy oat milk")
        try await desktop.run("edit", id, "priority:H", "project:home")
        try await meet(laptop, desktop)
        let fields = try await desktop.fields(id)
        #expect(fields["title"] == "Buy oat milk")
        #expect(fields["priority"] == "H")
        #expect(fields["project"] == "home")
        #expect(try await laptop.records("conflicts").isEmpty)
    }

    @Test("A conflict that one device resolves is resolved for both")
    func resolved() async throws {
        let (laptop, desktop, id) = try await shared(on: SharedServer())
        try await laptop.run("edit", id, "--title", "Buy oat milk")
        try await desktop.run("edit", id, "--title", "Buy rice milk")
        try await meet(laptop, desktop)
        let conflicts = try await laptop.records("conflicts")
        try #require(conflicts.count == 1)
        try await laptop.run("resolve", conflicts[0].id, "mine")
        try await meet(laptop, desktop)
        #expect(try await desktop.fields(id)["title"] == "Buy oat milk")
        let resolved = try await desktop.records("conflicts")
        #expect(resolved.map(\.id) == conflicts.map(\.id))
        #expect(resolved.allSatisfy { $0.fields["settled"]?.string?.isEmpty == false })
        let shown = try await desktop.run("conflicts")
        #expect(shown.out.contains("No conflicts."))
    }

    @Test("The same edit on both is no conflict")
    func sameEdit() async throws {
        let (laptop, desktop, id) = try await shared(on: SharedServer())
        for device in [laptop, desktop] { try await device.run("edit", id, "--title", "Buy oat milk") }
        try await meet(laptop, desktop)
        #expect(try await laptop.fields(id)["title"] == "Buy oat milk")
        #expect(try await laptop.records("conflicts").isEmpty)
    }

    @Test("Lines that two devices add to a body are all kept")
    func bodies() async throws {
        let account = try SharedServer()
        let (laptop, desktop) = (try await account.device(), try await account.device())
        try await laptop.run("note", "Diary")
        let id = try await laptop.record("Diary").id
        let lines = (0..<20).map { "line \($0)" }
        try await laptop.write(id, lines)
        try await meet(laptop, desktop)
        try await laptop.write(id, ["from the laptop"] + lines)
        try await desktop.write(id, lines + ["from the desktop"])
        try await meet(laptop, desktop)
        let merged = ["from the laptop"] + lines + ["from the desktop"]
        #expect(try await laptop.lines(id) == merged)
        // At the same place, both stay in the text, too.
        try await laptop.write(id, merged + ["left"])
        try await desktop.write(id, merged + ["right"])
        try await meet(laptop, desktop)
        let body = try await desktop.lines(id)
        #expect(body.contains("left"))
        #expect(body.contains("right"))
    }

    @Test("Additions and removals of tags on both devices are all applied")
    func tagSets() async throws {
        let (laptop, desktop, id) = try await shared(on: SharedServer())
        try await laptop.run("tag", id, "+fresh", "-shop")
        try await desktop.run("tag", id, "+cold", "-later")
        try await meet(laptop, desktop)
        let fields = try await laptop.fields(id)
        #expect(tags(fields) == ["cold", "fresh"])
        #expect(try await laptop.records("conflicts").isEmpty)
    }

    @Test("Annotations of both sides are both kept")
    func annotations() async throws {
        let (laptop, desktop, id) = try await shared(on: SharedServer())
        try await laptop.run("annotate", id, "the shop is closed on Sunday")
        try await desktop.run("annotate", id, "two bottles")
        try await meet(laptop, desktop)
        let annotations = try await laptop.fields(id)["annotations"]?.array ?? []
        let texts = annotations.compactMap { $0.object?["description"]?.string }
        #expect(texts.sorted() == ["the shop is closed on Sunday", "two bottles"])
    }

    @Test("An edit wins over a deletion, whichever is synced first", arguments: [true, false])
    func editAndDeletion(deletionIsFirst: Bool) async throws {
        let (laptop, desktop, id) = try await shared(on: SharedServer())
        try await laptop.run("rm", id)
        try await desktop.run("edit", id, "--title", "Still wanted")
        for device in deletionIsFirst ? [laptop, desktop] : [desktop, laptop] { try await device.sync() }
        try await meet(laptop, desktop)
        let fields = try await laptop.fields(id)
        #expect(fields["title"] == "Still wanted")
        #expect(tags(fields) == ["later", "shop"], "a revival restores all fields")
    }

    @Test("A deletion without a concurrent edit is kept")
    func deletion() async throws {
        let (laptop, desktop, id) = try await shared(on: SharedServer())
        try await laptop.run("rm", id)
        try await desktop.run("add", "Something else")
        try await meet(laptop, desktop)
        #expect(try await desktop.titles() == ["Something else"])
    }

    @Test("A completion on one side and an edit on the other are both kept")
    func completion() async throws {
        let (laptop, desktop, id) = try await shared(on: SharedServer())
        try await laptop.run("done", id)
        try await desktop.run("edit", id, "due:2031-05-05")
        try await meet(laptop, desktop)
        let fields = try await laptop.fields(id)
        #expect(fields["status"] == "completed")
        #expect(fields["due"]?.string?.hasPrefix("2031-05-05") == true)
    }

    @Test("Records that are created on either device reach the other")
    func newRecords() async throws {
        let account = try SharedServer()
        let (laptop, desktop) = (try await account.device(), try await account.device())
        for number in 0..<20 {
            try await laptop.run("add", "laptop \(number)")
            try await desktop.run("add", "desktop \(number)")
        }
        try await meet(laptop, desktop)
        #expect(try await laptop.titles().count == 40)
    }

    @Test("A third device receives the same records in its first sync")
    func thirdDevice() async throws {
        let account = try SharedServer()
        let (laptop, desktop, id) = try await shared(on: account)
        try await laptop.run("edit", id, "--title", "Buy oat milk")
        try await desktop.run("edit", id, "--title", "Buy rice milk")
        let removed = try await laptop.add("To be removed")
        try await meet(laptop, desktop)
        try await laptop.run("rm", removed)
        try await meet(laptop, desktop)
        let phone = try await account.device()
        try await phone.sync()
        // The text of the export: with versions and clocks.
        let held = try await laptop.run("export").out
        #expect(try await phone.run("export").out == held)
        try await meet(laptop, desktop, phone)
    }
}

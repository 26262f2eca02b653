import CanonicalJSON
import ControllerKit
import Testing

@MainActor
@Suite("Conflicts by commands: what is shown, how they are resolved, and none is lost", .timeLimit(.minutes(5)))
struct ConflictCommandsTests {
    private let account: SharedServer
    private let laptop: CommandDevice
    private let desktop: CommandDevice
    /// The task “Buy milk”, which both devices have.
    private let id: String

    init() async throws {
        account = try SharedServer()
        (laptop, desktop, id) = try await account.two()
    }

    /// Makes a conflict about the task's title and returns its id. The desktop's edit is the later one.
    @discardableResult
    private func conflict() async throws -> String {
        try await laptop.run("edit", id, "--title", "Buy oat milk")
        try await desktop.run("edit", id, "--title", "Buy rice milk")
        try await meet(laptop, desktop)
        return try await onlyConflict(on: laptop).id
    }

    /// Makes a conflict about line 500 of a body of 1,000 lines and returns its id.
    @discardableResult
    private func longConflict() async throws -> String {
        var lines = (0..<1_000).map { "line \($0)" }
        try await laptop.write(id, lines)
        try await meet(laptop, desktop)
        lines[500] = "from the laptop"
        try await laptop.write(id, lines)
        lines[500] = "from the desktop"
        try await desktop.write(id, lines)
        try await meet(laptop, desktop)
        return try await onlyConflict(on: laptop).id
    }

    private func onlyConflict(on device: CommandDevice) async throws -> CommandDevice.Exported {
        let found = try await device.records("conflicts")
        try #require(found.count == 1)
        return found[0]
    }

    /// The unresolved conflicts.
    private func openConflicts(on device: CommandDevice) async throws -> [CommandDevice.Exported] {
        try await device.records("conflicts").filter { $0.fields["settled"] == nil }
    }

    /// The only row of a state of `conflicts`.
    private func onlyRow(of state: JSONObject) throws -> JSONObject {
        let rows = state["rows"]?.array ?? []
        try #require(rows.count == 1)
        return try #require(rows[0].object)
    }

    /// Resolves a conflict on the laptop by an edited text.
    private func resolve(
        _ conflict: String, editing: @escaping @MainActor (String) async throws -> String
    ) async throws -> CommandDevice.Answer {
        laptop.edits = editing
        defer { laptop.edits = nil }
        return try await laptop.attempt("resolve", conflict, "edit")
    }

    // MARK: What is shown

    @Test("A conflict shows both values, their times and the names of the devices")
    func row() async throws {
        desktop.files["password"] = "correct horse battery\n"
        try await desktop.run("login", "ada", "--password-file", "password", "--device-name", "kitchen")
        try await conflict()
        let row = try await onlyRow(of: laptop.state("conflicts"))
        #expect(row["title"] == "Buy rice milk" && row["field"] == "title" && row["kept"] == "later")
        let earlier = try #require(row["earlier"]?.object)
        let later = try #require(row["later"]?.object)
        #expect(earlier["value"] == "Buy oat milk" && earlier["isMine"] == true)
        #expect(later["value"] == "Buy rice milk" && later["isMine"] == false)
        let device = try #require(try await desktop.state("whoami")["device"]?.string)
        #expect(later["device"]?.string == device && later["deviceName"] == "kitchen")
        let times = try [#require(earlier["at"]?.string), #require(later["at"]?.string)]
        #expect(times[0] < times[1])
        let out = try await laptop.run("conflicts").out
        #expect(out.contains("this device") && out.contains("“kitchen”"))
    }

    @Test("`conflicts` shows the differences of long texts, `conflicts NUMBER` all lines")
    func longTexts() async throws {
        try await longConflict()
        let out = try await laptop.run("conflicts").out
        #expect(out.contains("- from the laptop") && out.contains("+ from the desktop"))
        #expect(out.count(where: \.isNewline) < 20)
        let whole = try await laptop.run("conflicts", "1").out
        #expect(whole.count(where: \.isNewline) > 1_000 && whole.contains("  line 0\n"))
    }

    @Test("A conflict about a field that was edited since stays open and shows that it was edited")
    func laterEdits() async throws {
        let conflict = try await conflict()
        try await desktop.run("edit", id, "--title", "Buy no milk")
        try await meet(laptop, desktop)
        #expect(try await laptop.run("conflicts").out.contains("has changed since"))
        try await laptop.run("resolve", conflict, "mine")
        try await meet(laptop, desktop)
        #expect(try await desktop.fields(id)["title"] == "Buy oat milk")
    }

    // MARK: Values

    @Test(
        "The resolution of a long text reaches both devices",
        arguments: [("mine", "from the laptop"), ("theirs", "from the desktop")])
    func longText(choice: String, line: String) async throws {
        let conflict = try await longConflict()
        try await laptop.run("resolve", conflict, choice)
        try await meet(laptop, desktop)
        #expect(try await desktop.lines(id).dropFirst(500).first == line)
        #expect(try await openConflicts(on: desktop).isEmpty)
    }

    @Test("A combined value is read from a file or the standard input")
    func combined() async throws {
        let conflict = try await conflict()
        let refused = try await laptop.attempt("resolve", conflict, "edit")
        #expect(refused.status == .usage && refused.err.contains("--value-file"))
        laptop.files["-"] = "Buy oat and rice milk\n"
        try await laptop.run("resolve", conflict, "edit", "--value-file", "-")
        try await meet(laptop, desktop)
        #expect(try await desktop.fields(id)["title"] == "Buy oat and rice milk")
        #expect(try await openConflicts(on: desktop).isEmpty)
    }

    @Test("At a terminal, the editor has both versions between markers")
    func editor() async throws {
        let conflict = try await longConflict()
        // The person removes the markers and one of the two lines.
        let answer = try await resolve(conflict) { text in
            text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
                !["<<<<<<<", "=======", ">>>>>>>"].contains { line.hasPrefix($0) } && !line.contains("the laptop")
            }.joined(separator: "\n")
        }
        #expect(answer.status == .ok, "\(answer.err)")
        let lines = try await laptop.lines(id)
        #expect(lines.count == 1_000 && lines.dropFirst(500).first == "from the desktop")
        #expect(try await openConflicts(on: laptop).isEmpty)
    }

    @Test("An unchanged text resolves nothing")
    func unchanged() async throws {
        let conflict = try await conflict()
        let answer = try await resolve(conflict) { $0 }
        #expect(answer.status == .usage)
        #expect(try await openConflicts(on: laptop).count == 1)
    }

    @Test("A conflict stays open if the editor fails or its text is refused")
    func refusedText() async throws {
        let conflict = try await conflict()
        let failed = try await resolve(conflict) { _ in throw Failure(.failed, "The editor failed.") }
        #expect(failed.status == .failed)
        // Both lines are kept, but a title has one line.
        let refused = try await resolve(conflict) { text in
            let kept = text.split(separator: "\n").filter { !"<=>".contains($0.prefix(1)) }
            #expect(kept == ["Buy oat milk", "Buy rice milk"])
            return kept.joined(separator: "\n") + "\n"
        }
        #expect(refused.status == .usage && refused.err.contains("several lines"))
        #expect(try await openConflicts(on: laptop).count == 1)
    }

    @Test("`resolve --revive` restores a record that was deleted meanwhile")
    func deleted() async throws {
        let conflict = try await conflict()
        try await desktop.run("rm", id)
        try await meet(laptop, desktop)
        let refused = try await laptop.attempt("resolve", conflict, "mine")
        #expect(refused.status == .rejected && refused.err.contains("--revive"))
        try await laptop.run("resolve", conflict, "mine", "--revive")
        try await meet(laptop, desktop)
        #expect(try await desktop.fields(id)["title"] == "Buy oat milk")
        #expect(try await openConflicts(on: desktop).isEmpty)
    }

    @Test("In a text, a choice replaces only the overlapping lines")
    func overlap() async throws {
        let lines = (0..<9).map { "line \($0)" }
        try await laptop.write(id, lines)
        try await meet(laptop, desktop)
        var (mine, theirs) = (lines, lines)
        (mine[0], mine[4]) = ("top", "the laptop's")
        (theirs[4], theirs[8]) = ("the desktop's", "bottom")
        try await laptop.write(id, mine)
        try await desktop.write(id, theirs)
        try await meet(laptop, desktop)
        let conflict = try await onlyConflict(on: laptop).id
        try await laptop.run("resolve", conflict, "mine")
        try await meet(laptop, desktop)
        // The other edited lines are merged, whatever the choice.
        (mine[8], theirs[0]) = ("bottom", "top")
        #expect(try await desktop.lines(id) == mine)
        try await desktop.write(id, mine + ["new"])
        let said = try await desktop.run("resolve", conflict, "mine").err
        #expect(said.contains("Chose another value") && !said.contains("replaced"))
        #expect(try await desktop.lines(id) == theirs + ["new"])
        try await desktop.run("undo")
        #expect(try await desktop.lines(id) == mine + ["new"])
        // The markers return with the undo of a choice; the next choice is about the lines between them, too.
        try await laptop.sync()
        try await laptop.run("undo")
        #expect(try await laptop.fields(id)["body"]?.string?.contains("<<<<<<< earlier") == true)
        try await laptop.run("resolve", conflict, "theirs")
        #expect(try await laptop.lines(id) == theirs)
    }

    // MARK: Several devices

    @Test("A resolved conflict is listed on both devices, and another value can be chosen")
    func anotherValue() async throws {
        let conflict = try await conflict()
        try await laptop.run("resolve", conflict, "keep")
        try await meet(laptop, desktop)
        #expect(try await desktop.run("conflicts").out.contains("No conflicts."))
        let row = try await onlyRow(of: desktop.state("conflicts", "--resolved"))
        #expect(row["id"]?.string == conflict && row["resolvedAt"]?.string?.isEmpty == false)
        try await desktop.run("resolve", conflict, "theirs")
        try await meet(laptop, desktop)
        #expect(try await laptop.fields(id)["title"] == "Buy oat milk")
        #expect(try await openConflicts(on: laptop).isEmpty)
    }

    @Test("Different resolutions on two devices leave one new conflict between them", arguments: [true, false])
    func differently(isLaptopFirst: Bool) async throws {
        let conflict = try await conflict()
        try await laptop.run("edit", id, "--title", "Something newer")
        try await meet(laptop, desktop)
        try await laptop.run("resolve", conflict, "earlier")
        try await desktop.run("resolve", conflict, "later")
        let (first, second) = isLaptopFirst ? (laptop, desktop) : (desktop, laptop)
        try await meet(first, second)
        let left = try await openConflicts(on: laptop)
        try #require(left.count == 1 && left[0].id != conflict)
        let values = Set(["earlier", "later"].map { left[0].fields[$0]?.object?["value"]?.string })
        #expect(values == ["Buy oat milk", "Buy rice milk"])
        try await laptop.run("resolve", left[0].id, "earlier")
        try await meet(laptop, desktop)
        #expect(try await openConflicts(on: desktop).isEmpty)
        #expect(try await desktop.fields(id)["title"] == "Buy oat milk")
    }

    @Test("The same resolution on both devices leaves no conflict")
    func same() async throws {
        let conflict = try await conflict()
        for device in [laptop, desktop] { try await device.run("resolve", conflict, "earlier") }
        try await meet(laptop, desktop)
        #expect(try await openConflicts(on: laptop).isEmpty)
        #expect(try await laptop.fields(id)["title"] == "Buy oat milk")
    }

    @Test("A conflict that another device resolved first is reported, and its values can be chosen")
    func elsewhere() async throws {
        try await laptop.run("edit", id, "--title", "Buy oat milk")
        try await laptop.sync()
        try await desktop.run("edit", id, "--title", "Buy rice milk")
        try await desktop.sync()
        let conflict = try await onlyConflict(on: desktop).id
        try await desktop.run("resolve", conflict, "mine")
        try await desktop.sync()
        let synced = try await laptop.run("sync").err
        #expect(synced.contains("1 conflict was resolved on another device: see `conflicts --resolved`"))
        #expect(try await laptop.run("conflicts").out.contains("No conflicts."))
        #expect(try await laptop.run("status").out.contains("conflicts --resolved"))
        let out = try await laptop.run("conflicts", "--resolved").out
        #expect(out.contains("Buy oat milk") && out.contains("Buy rice milk") && out.contains("resolved"))
        let status = try await laptop.run("status").out
        #expect(!status.contains("conflicts --resolved"))
        // A new device has them, too.
        let third = try await account.device()
        try await third.sync()
        try await third.run("resolve", conflict, "earlier")
        try await meet(third, laptop)
        #expect(try await laptop.fields(id)["title"] == "Buy oat milk")
    }
}

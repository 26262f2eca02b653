import Foundation
import Interchange
import LocalStore
import Locking
import Records
import Testing

@testable import Notebook

/// A reviewer that performs a closure and records the edits that it receives.
private final class ScriptedReviewer: EditReviewer {
    let isActive = true
    let advice = "Try without."
    let reviews = Locked<[[PlannedEdit]]>([])
    private let script: @Sendable ([PlannedEdit]) async throws -> [PlannedEdit]

    init(_ script: @escaping @Sendable ([PlannedEdit]) async throws -> [PlannedEdit]) { self.script = script }

    func review(_ edits: [PlannedEdit]) async throws -> [PlannedEdit] {
        reviews.withLock { $0.append(edits) }
        return try await script(edits)
    }
}

@Suite("The review of edits before they are stored", .timeLimit(.minutes(5)))
struct ReviewTests {
    /// A notebook without a reviewer.
    private let plain: Notebook

    init() throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000_000_000_000 }, types: .standard)
        plain = Notebook(
            store: store, now: { Date() }, calendar: Calendar(identifier: .gregorian), makeID: Counter().next,
            terminal: "test")
    }

    private func notebook(_ reviewer: ScriptedReviewer) -> Notebook {
        var notebook = plain
        notebook.reviewer = reviewer
        return notebook
    }

    private func titles() async throws -> [String] { try await plain.list(["all"]).rows.map(\.record.titleOrID) }

    @Test("An approved command is stored once, with the ids that were reviewed")
    func approved() async throws {
        let reviewer = ScriptedReviewer { $0 }
        let added = try await notebook(reviewer).add(["Milk", "due:tomorrow"], to: TaskRecord.type)
        let edits = try #require(reviewer.reviews.withLock { $0 }.first)
        #expect(reviewer.reviews.withLock { $0.count } == 1)
        #expect(edits == [PlannedEdit(added.key, before: nil, after: added.fields)])
        #expect(try await titles() == ["Milk"])
        #expect(try await plain.journal().map(\.name) == ["add"])
    }

    @Test("A value that no user can choose is refused")
    func unknownChoice() async throws {
        let reviewer = ScriptedReviewer { edits in
            edits.map { edit in
                var fields = edit.after ?? [:]
                fields["status"] = "bogus"
                return PlannedEdit(edit.key, before: edit.before, after: fields)
            }
        }
        let refused = await #expect(throws: RefusedEdit.self) {
            _ = try await notebook(reviewer).add(["Milk"], to: TaskRecord.type)
        }
        #expect(refused?.message.contains("The value of status must be one of pending, completed.") == true)
        #expect(try await titles() == [])
    }

    @Test("A refused command stores nothing, also of several records")
    func refused() async throws {
        for title in ["A", "B"] { _ = try await plain.add([title], to: TaskRecord.type) }
        _ = try await plain.list([])
        let reviewer = ScriptedReviewer { edits in
            if edits.contains(where: { $0.after?[.title] == "B" }) { throw RefusedEdit("No.", advice: "Try without.") }
            return edits
        }
        await #expect(throws: RefusedEdit("No.", advice: "Try without.")) {
            try await notebook(reviewer).complete(["1-2"])
        }
        #expect(reviewer.reviews.withLock { $0.map(\.count) } == [2])
        #expect(try await plain.list([]).total == 2)
        #expect(try await plain.journal().map(\.name) == ["add", "add"])
    }

    @Test("A change of the review is a part of the command: one undo takes back both")
    func changed() async throws {
        let reviewer = ScriptedReviewer { edits in
            edits.map { edit in
                var edit = edit
                edit.after?["priority"] = "H"
                return edit
            }
        }
        let milk = try await notebook(reviewer).add(["Milk"], to: TaskRecord.type)
        let stored = try await plain.read { try $0.record(milk.key) }
        #expect(stored?.fields["priority"] == "H")
        _ = try await plain.undo()
        #expect(try await titles().isEmpty)
    }

    @Test("The result of a command has the records as the review has changed them")
    func result() async throws {
        let reviewer = ScriptedReviewer { edits in
            edits.map { edit in
                var edit = edit
                if let title = edit.after?["title"]?.string { edit.after?["title"] = .string(title + "!") }
                return edit
            }
        }
        let notebook = notebook(reviewer)
        let milk = try await notebook.add(["Milk"], to: TaskRecord.type)
        #expect(milk.title == "Milk!")
        let edited = try await notebook.edit(milk.key.id, ["Bread"])
        #expect(edited.title == "Bread!")
        #expect(try await notebook.complete([milk.key.id]).changed.map(\.titleOrID) == ["Bread!!"])
        #expect(try await titles() == ["Bread!!"])
    }

    @Test("A change of the review is checked like an edit of the user")
    func invalid() async throws {
        let reviewer = ScriptedReviewer { edits in
            edits.map { edit in
                var edit = edit
                edit.after?["due"] = "soon"
                return edit
            }
        }
        let refused = await #expect(throws: RefusedEdit.self) {
            try await notebook(reviewer).add(["Milk"], to: TaskRecord.type)
        }
        #expect(refused?.message.contains("The value of due must be a day") == true)
        #expect(refused?.message.hasSuffix("Nothing was changed. Try without.") == true)
        #expect(try await titles().isEmpty)
    }

    @Test("A record that changes during the review is reviewed again; other processes can write meanwhile")
    func changedMeanwhile() async throws {
        let milk = try await plain.add(["Milk"], to: TaskRecord.type)
        let rounds = Locked(0)
        let reviewer = ScriptedReviewer { [plain] edits in
            let round = rounds.withLock { rounds in
                rounds += 1
                return rounds
            }
            if round == 1 { _ = try await plain.edit(milk.key.id, ["priority:H"]) }
            return edits
        }
        _ = try await notebook(reviewer).edit(milk.key.id, ["Oat milk"])
        let reviews = reviewer.reviews.withLock { $0 }
        #expect(reviews.count == 2)
        #expect(reviews.last?.first?.before?["priority"] == "H")
        let stored = try await plain.read { try $0.record(milk.key) }
        #expect(stored?.titleOrID == "Oat milk")
        #expect(stored?.fields["priority"] == "H")
    }

    @Test("Records that change in each review end the command after the limit of reviews")
    func limit() async throws {
        let milk = try await plain.add(["Milk"], to: TaskRecord.type)
        let rounds = Locked(0)
        let reviewer = ScriptedReviewer { [plain] edits in
            let round = rounds.withLock { rounds in
                rounds += 1
                return rounds
            }
            _ = try await plain.edit(milk.key.id, ["Milk \(round)"])
            return edits
        }
        await #expect(throws: NotebookError.changedDuringReview) {
            try await notebook(reviewer).edit(milk.key.id, ["priority:H"])
        }
        #expect(rounds.withLock { $0 } == Notebook.reviewLimit)
    }

    @Test("A deletion is reviewed; undoing and importing aren't")
    func others() async throws {
        let milk = try await plain.add(["Milk"], to: TaskRecord.type)
        let reviewer = ScriptedReviewer { _ in throw RefusedEdit("No.", advice: "") }
        await #expect(throws: RefusedEdit.self) { try await notebook(reviewer).delete([milk.key.id]) }
        let edit = try #require(reviewer.reviews.withLock { $0.first?.first })
        #expect(edit == PlannedEdit(milk.key, before: milk.fields, after: nil))
        _ = try await notebook(reviewer).undo()
        #expect(try await titles().isEmpty)
        _ = try await notebook(reviewer).importing("Bread", as: .todotxt)
        #expect(try await titles() == ["Bread"])
    }
}

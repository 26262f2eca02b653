import ControllerKit
import Controllers
import Foundation
import Interchange
import LocalStore
import Records
import TestSupport
import Testing

@MainActor
@Suite("Import and export", .timeLimit(.minutes(5)))
struct TransferTests {
    private let file = """
        [{"uuid": "11111111-2222-4333-8444-555555555555", "description": "Buy milk", "status": "pending",
          "entry": "20260101T120000Z", "tags": ["shop"], "estimate": 3},
         {"uuid": "21111111-2222-4333-8444-555555555555", "description": "Old", "status": "completed",
          "entry": "20260101T120000Z", "end": "20260102T120000Z"}]
        """
    private let id = "11111111-2222-4333-8444-555555555555"

    private func transfer(_ home: Home) -> Presentation<TransferScreen> {
        Presentation(TransferController(home.services.notebook)) { Issue.record($0) }
    }

    @Test("An import reports what was new; the same file again changes nothing")
    func twice() async throws {
        let home = try Home()
        let transfer = transfer(home)
        try await transfer.send(.importing(.taskwarrior, file))
        #expect(transfer.state.notice == "Imported: 2 new, 0 changed, 0 unchanged.")
        #expect(try home.titles() == ["Buy milk", "Old"])
        let before = try home.services.store.readNow { try $0.records() }
        try await transfer.send(.importing(.taskwarrior, file))
        #expect(transfer.state.notice == "Imported: 0 new, 0 changed, 2 unchanged.")
        #expect(try home.services.store.readNow { try $0.records() } == before)
    }

    @Test("Values that have no effect here are counted, and the first records are named")
    func unused() async throws {
        let home = try Home()
        let transfer = transfer(home)
        let ending = (0..<7).map {
            #"{"description": "T\#($0)", "until": "20301106T100000Z", "uuid": "\#(UUID().uuidString)"}"#
        }
        try await transfer.send(.importing(.taskwarrior, "[\(ending.joined(separator: ","))]"))
        let imported = try #require(transfer.state.imported)
        #expect(imported.unused == 7 && imported.unusedIn.map(\.fields) == Array(repeating: ["until"], count: 5))
        let notice = try #require(transfer.state.notice)
        #expect(
            notice.hasPrefix("Imported: 7 new, 0 changed, 0 unchanged. 7 values have no effect here; they are kept"))
        #expect(notice.hasSuffix("“T4” (until), and 2 more."))
    }

    @Test("An import shows its progress, which never falls, until it is done")
    func progress() async throws {
        let home = try Home()
        let transfer = transfer(home)
        let view = ScriptedView<TransferScreen>()
        transfer.attach(view)
        let many = (0..<400).map { #"{"description": "\#($0)", "status": "pending", "uuid": "\#(UUID().uuidString)"}"# }
        try await view.send(.importing(.taskwarrior, "[\(many.joined(separator: ","))]"))
        let progress = view.shown.compactMap(\.progress)
        #expect(!progress.isEmpty)
        #expect(progress.map(\.done) == progress.map(\.done).sorted())
        #expect(progress.allSatisfy { $0.total == nil || $0.total == 400 })
        #expect(view.shown.last?.progress == nil)
        let bad = await failure { try await view.send(.importing(.taskwarrior, "[{}]")) }
        #expect(bad.category == .rejected && transfer.state.progress == nil)
    }

    @Test("Edits made here stay when the same file is imported again")
    func edited() async throws {
        let home = try Home()
        let transfer = transfer(home)
        try await transfer.send(.importing(.taskwarrior, file))
        try await home.detail().send(.edit(id, title: "Buy oat milk", body: nil, words: ["+vegan"]))
        try await transfer.send(.importing(.taskwarrior, file))
        #expect(try home.task(id)?["title"] == "Buy oat milk")
        #expect(try home.task(id)?["tags"] == ["shop", "vegan"])
    }

    @Test("Records deleted here before any sync stay deleted when the file is imported again, and are in no export")
    func deleted() async throws {
        let home = try Home()
        let transfer = transfer(home)
        try await transfer.send(.importing(.taskwarrior, file))
        try await home.list().send(.remove([id]))
        try await transfer.send(.export(nil, path: nil, force: false))
        let before = transfer.state.document
        try await transfer.send(.importing(.taskwarrior, file))
        #expect(
            transfer.state.notice
                == "Imported: 0 new, 0 changed, 2 unchanged. 1 of them was deleted here and stays deleted: see `journal`."
        )
        #expect(try home.titles() == ["Old"])
        try await transfer.send(.export(nil, path: nil, force: false))
        #expect(transfer.state.document == before)
        #expect(before?.contains(id) == false)
    }

    @Test(
        "An invalid file is reported, and nothing of it is imported",
        arguments: ["", "[", "{}", #"[{"uuid": "x"}]"#])
    func malformed(text: String) async throws {
        let home = try Home()
        let transfer = transfer(home)
        let error = await failure {
            try await transfer.send(.importing(.taskwarrior, file.dropLast() + "," + text + "]"))
        }
        #expect(error.category == .rejected)
        #expect(!error.message.isEmpty)
        #expect(try home.titles().isEmpty)
    }

    @Test("An export is the same for the same records, regardless of device and order")
    func export() async throws {
        let (one, two) = (try Home(), try Home())
        try one.put(["a": ["title": "A"], "b": ["title": "B"]])
        let records = try one.services.store.readNow { try $0.records() }
        try two.services.store.writeNow { cache in
            for record in records.reversed() { try cache.store(CachedRecord(record: record), for: record.key) }
        }
        var documents: [String?] = []
        for home in [one, two] {
            let transfer = transfer(home)
            try await transfer.send(.export(nil, path: nil, force: false))
            documents.append(transfer.state.document)
        }
        #expect(documents[0] == documents[1])
        let document = try JSONValue(parsing: try #require(documents[0])).object
        #expect(document?["format"] == "satchel")
        #expect(document?["records"]?.array?.count == 2)
    }

    @Test("Satchel's own format restores fields with the times at which they were edited, in any home")
    func moments() async throws {
        let (one, two) = (try Home(), try Home())
        try await one.list().send(.add(["Buy", "milk", "+shop"], body: nil))
        let id = try #require(try one.services.store.readNow { try $0.records() }.first?.key.id)
        one.clock.advance(by: .seconds(60))
        try await one.detail().send(.edit(id, title: "Buy oat milk", body: nil, words: []))
        let out = transfer(one)
        try await out.send(.export(nil, path: nil, force: false))
        two.clock.advance(by: .seconds(3_600))
        let into = transfer(two)
        let text = try #require(out.state.document)
        try await into.send(.importing(nil, text))
        try await into.send(.importing(nil, text))
        let before = try one.services.store.readNow { try $0.records() }
        let after = try two.services.store.readNow { try $0.records() }
        #expect(before.map(\.fields) == after.map(\.fields))
        #expect(before.map(\.clock) == after.map(\.clock))
        #expect(before.map(\.clock.moments.count) == [2])
    }

    @Test("What a format can't hold is reported in numbers; the rest is shown")
    func omissions() async throws {
        let home = try Home()
        let transfer = transfer(home)
        try await transfer.send(.importing(.taskwarrior, file))
        try home.services.store.writeNow { cache in
            for id in ["n1", "n2"] {
                _ = try cache.edit(RecordKey(collection: "notes", id: id), ["title": "A note"])
            }
        }
        try await transfer.send(.export(.todotxt, path: nil, force: false))
        #expect(transfer.state.exported?.records == 2)
        #expect(transfer.state.exported?.omittedRecords == ["notes": 2])
        #expect(
            transfer.state.notice?.hasPrefix(
                "2 notes can't be stored in todo.txt, which holds tasks that are neither deleted nor templates. Incomplete or missing fields:"
            )
                == true)
        let lines = try #require(transfer.state.document).split(separator: "\n")
        #expect(lines.count == 2 && lines.contains { $0.contains("Buy milk @shop satchel:\(id)") })
    }

    @Test("An export to a path is written there; an existing file is replaced only on request")
    func paths() async throws {
        let home = try Home()
        let transfer = transfer(home)
        try await transfer.send(.importing(nil, file))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("out.csv").path
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let error = await failure { try await transfer.send(.export(nil, path: path, force: false)) }
        #expect(error.category == .rejected && error.message.contains(path))
        try await transfer.send(.export(nil, path: path, force: true))
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("collection,id,title,"))
        #expect(transfer.state.document == nil && transfer.state.notice?.hasPrefix("Exported 2 records to") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out.csv"])
    }

    @Test("No export replaces a file of the home, also through a link")
    func ownFiles() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let home = try Home(store: LocalStore(home: .init(directory: folder.appending(path: "home"))))
        let transfer = transfer(home)
        try await transfer.send(.importing(nil, file))
        try await transfer.send(.importing(.markdown, #"{"A.md": "---\nid: n1\ntitle: A\n---\nText\n"}"#))
        let (cache, hard) = (folder.appending(path: "home/cache.db").path, folder.appending(path: "hard").path)
        try FileManager.default.linkItem(atPath: cache, toPath: hard)
        let before = try Data(contentsOf: URL(filePath: cache))
        for path in [cache, cache + "-wal", hard, folder.appending(path: "home/session.json").path] {
            for format in [ExchangeFormat.satchel, .csv] {
                let error = await failure { try await transfer.send(.export(format, path: path, force: true)) }
                #expect(error.category == .rejected && error.message.contains("own files"), "\(path)")
            }
        }
        let drafts = folder.appending(path: "home/drafts").path
        let error = await failure { try await transfer.send(.export(.markdown, path: drafts, force: true)) }
        #expect(error.category == .rejected && error.message.contains("own files"))
        #expect(!FileManager.default.fileExists(atPath: drafts))
        #expect(try Data(contentsOf: URL(filePath: cache)) == before)
        try await transfer.send(.export(.csv, path: folder.appending(path: "home/out.csv").path, force: false))
    }

    @Test("An export into a folder replaces the file of a note that has another title now, if that is allowed")
    func renamedNote() async throws {
        let home = try Home()
        let transfer = transfer(home)
        let note = #"{"Old.md": "---\nid: n1\ntitle: Old\n---\nText\n"}"#
        try await transfer.send(.importing(.markdown, note))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await transfer.send(.export(.markdown, path: folder.path, force: false))
        try Data("# Not exported\n".utf8).write(to: folder.appendingPathComponent("Other.md"))
        try await home.detail().send(.edit("n1", title: "New", body: nil, words: []))
        let error = await failure { try await transfer.send(.export(.markdown, path: folder.path, force: false)) }
        #expect(error.category == .rejected && error.message.contains("Old.md"))
        let files = { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
        #expect(try files() == ["Old.md", "Other.md"])
        try await transfer.send(.export(.markdown, path: folder.path, force: true))
        #expect(try files() == ["New.md", "Other.md"])
    }

    @Test("An import that changes nothing is not a command to undo")
    func unchanged() async throws {
        let home = try Home()
        let transfer = transfer(home)
        try await transfer.send(.importing(.csv, "id,title\na1,One\n"))
        try await transfer.send(.export(.csv, path: nil, force: false))
        let document = try #require(transfer.state.document)
        try await home.detail().send(.edit("a1", title: "Three", body: nil, words: []))
        try await transfer.send(.importing(.csv, document.replacing("One", with: "Two")))
        #expect(transfer.state.notice?.hasPrefix("Imported: 0 new, 0 changed, 1 unchanged.") == true)
        let last = try home.services.store.readNow { try $0.journal.undoable() }
        #expect(last?.command == "edit")
    }
}

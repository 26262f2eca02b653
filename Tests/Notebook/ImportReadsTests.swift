import Foundation
import GRDB
import Interchange
import Locking
import Notebook
import Records
import Testing

@testable import LocalStore

@Suite("Reads of an import", .timeLimit(.minutes(5)))
struct ImportReadsTests {
    private let notebook: Notebook
    /// The number of reads of a record with its mirror and its entry in the outbox.
    private let counter = Locked(0)

    init() throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000_000_000_000 }, types: .standard)
        notebook = Notebook(store: store, terminal: "test")
        store.queue.inDatabase { [counter] db in
            db.trace { event in
                if event.description.hasPrefix("SELECT r.number, r.collection") { counter.withLock { $0 += 1 } }
            }
        }
    }

    /// Returns the number of reads that an import of a file takes.
    private func reads(of text: String, as format: ExchangeFormat) async throws -> Int {
        counter.withLock { $0 = 0 }
        _ = try await notebook.importing(text, as: format)
        return counter.withLock { $0 }
    }

    @Test("Each record is read once, whether it is new, changed or unchanged")
    func notes() async throws {
        func table(_ title: String) -> String {
            "collection,id,title\n" + (0..<10).map { "notes,n\($0),\(title) \($0)\n" }.joined()
        }
        #expect(try await reads(of: table("Old"), as: .csv) == 10)
        #expect(try await reads(of: table("Old"), as: .csv) == 10)
        #expect(try await reads(of: table("New"), as: .csv) == 10)
    }

    @Test("The next instance of a task is looked up only if the task existed and its status changed")
    func tasks() async throws {
        func tasks(_ status: String) -> String {
            (0..<10).map {
                #"{"uuid": "00000000-0000-4000-8000-00000000000\#($0)", "description": "\#($0)", "status": "\#(status)"}"#
            }.joined(separator: "\n")
        }
        #expect(try await reads(of: tasks("pending"), as: .taskwarrior) == 10)
        #expect(try await reads(of: tasks("pending"), as: .taskwarrior) == 10)
        #expect(try await reads(of: tasks("completed"), as: .taskwarrior) == 20)
    }
}

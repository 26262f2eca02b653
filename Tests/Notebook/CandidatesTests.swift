import Foundation
import LocalStore
import Records
import Testing

@testable import Notebook

@Suite("The records that the database selects for a list", .timeLimit(.minutes(5)))
struct CandidatesTests {
    private let notebook: Notebook

    init() throws {
        let store = try LocalStore(inMemoryWithWall: { 1_000_000_000_000 }, types: .standard)
        notebook = Notebook(
            store: store, now: { Date(timeIntervalSince1970: 1_700_000_000) },
            calendar: Calendar(identifier: .gregorian), makeID: Counter().next, terminal: "test")
    }

    private func fill() async throws {
        for words in [
            ["Milk", "+shop"], ["Bread", "+SHOP", "project:home"], ["Paint", "+shop-later"],
            ["Beans", "+garden", "+shop"],
            ["Rake", "project:home.garden"], ["Fence", "project:homestead"], ["Tea"],
        ] { _ = try await notebook.add(words, to: TaskRecord.type) }
        _ = try await notebook.add(["Plan", "+shop"], to: NoteRecord.type)
    }

    private func titles(_ filter: String...) async throws -> [String] {
        try await notebook.list(filter).rows.map(\.record.titleOrID).sorted()
    }

    @Test("A list by tags and projects is the same whether the records are indexed, partly indexed, or not")
    func lists() async throws {
        try await fill()
        for state in ["not indexed", "indexed", "partly indexed"] {
            if state == "indexed" { _ = try await notebook.search(["milk"]) }
            if state == "partly indexed" { _ = try await notebook.add(["Oats", "+shop"], to: TaskRecord.type) }
            let oats = state == "partly indexed" ? ["Oats"] : []
            #expect(try await titles("+shop") == (["Beans", "Bread", "Milk"] + oats + ["Plan"]).sorted(), "\(state)")
            #expect(try await titles("+shop", "-garden", "task") == (["Bread", "Milk"] + oats), "\(state)")
            #expect(try await titles("+garden,shop-later") == ["Beans", "Paint"], "\(state)")
            #expect(try await titles("project:home") == ["Bread", "Rake"], "\(state)")
            #expect(try await titles("project:HOME", "+shop") == ["Bread"], "\(state)")
            #expect(try await titles("+shop", "or", "project:home.garden", "task").contains("Rake"), "\(state)")
            #expect(try await notebook.count(["+shop"]).count == 4 + oats.count, "\(state)")
        }
        // A changed record is found by its new tags only.
        _ = try await notebook.edit(.references(["Milk"]), ["-shop", "+dairy"])
        #expect(try await titles("+dairy") == ["Milk"])
        #expect(try await !titles("+shop").contains("Milk"))
    }

    @Test("Links to records without the tag count in a list by a tag")
    func links() async throws {
        try await fill()
        _ = try await notebook.search(["milk"])
        _ = try await notebook.edit(.references(["Milk"]), ["depends:Tea"])
        _ = try await notebook.edit(.references(["Rake"]), ["partof:Beans"])
        #expect(try await titles("+shop", "blocked") == ["Milk"])
        #expect(try await titles("blocking") == ["Tea"])
        let beans = try #require(try await notebook.list(["+garden"]).rows.first)
        #expect(beans.progress?.total == 1)
        _ = try await notebook.complete(.references(["Tea"]))
        #expect(try await titles("+shop", "blocked") == [])
    }
}

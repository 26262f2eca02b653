@testable import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

@testable import SyncEngine

/// A home receives only the collections that its programs use.
@Suite struct CollectionsTests {
    private static let path = "/v1/spaces/space/changes?"
    private static let book = RecordKey(collection: "books", id: "b")

    private func unread() throws -> LocalStore {
        let store = try LocalStore(inMemoryWithWall: { 1_000 })
        try store.writeNow { try $0.account.bind(remote: "space", username: "anna") }
        return store
    }

    private func bench(_ store: LocalStore, _ collections: String...) throws -> Bench {
        try Bench(store, collections: CollectionSet(collections))
    }

    private func collections(_ store: LocalStore) throws -> CollectionSet {
        try store.readNow { try $0.replica.state().collections }
    }

    @Test func `every request names the home's collections`() async throws {
        let tasks = try bench(unread(), "tasks", "lists")
        tasks.transport.expect(Bench.pull, answer: .changes([theirs(5)], cursor: "c1", holding: [theirs(5)]))
        _ = try await tasks.sync()
        try tasks.edit(["title": "Mine"])
        tasks.transport.expect(
            Bench.push, answer: .changes(cursor: "c2", results: [applied(6, clock: taken)], holding: [theirs(6)]))
        _ = try await tasks.sync()
        tasks.transport.expect(Bench.pull, answer: .changes(cursor: "c2", holding: [theirs(6)]))
        #expect(try await tasks.engine.checkDigest().agreement == .equal)
        let names = "collections=lists%2Ctasks"
        #expect(
            tasks.transport.requests.map(\.target) == [
                Self.path + "limit=5000&" + names, Self.path + names, Self.path + "since=c2&limit=1&" + names,
            ])
    }

    @Test func `requests of a program that uses all collections name none`() async throws {
        let all = try Bench(unread())
        all.transport.expect(Bench.pull, answer: .changes(cursor: "c1", holding: []))
        _ = try await all.sync()
        #expect(all.transport.requests.map(\.target) == [Self.path + "limit=5000"])
    }

    @Test func `additional collections are read once the server has confirmed the cursor`() async throws {
        let store = try unread()
        let tasks = try bench(store, "tasks")
        tasks.transport.expect(Bench.pull, answer: .changes([theirs(5)], cursor: "c1", holding: [theirs(5)]))
        _ = try await tasks.sync()

        let books = try bench(store, "books")
        let book = theirs(3, ["title": "Dune"], key: Self.book)
        books.transport.expect(Bench.pull, answer: .changes(cursor: "c1", holding: [theirs(5)]))
        books.transport.expect(
            Bench.pull, answer: .changes([book, theirs(5)], cursor: "c1", holding: [book, theirs(5)]))
        books.expectFormerCursor()
        #expect(try await books.sync().fullReads == [.resync(.additionalCollections)])
        #expect(
            books.transport.requests.map(\.target) == [
                Self.path + "since=c1&limit=5000&collections=tasks", Self.path + "limit=5000&collections=books%2Ctasks",
                Self.path + "since=c1&limit=1&collections=books%2Ctasks",
            ])
        #expect(try books.cached(Self.book) != nil)
        #expect(try books.cached() != nil)

        let again = try bench(store, "tasks")
        again.transport.expect(Bench.pull, answer: .changes(cursor: "c1", holding: [book, theirs(5)]))
        #expect(try await again.sync().fullReads == [], "the home's collections stay")
        #expect(again.transport.requests.map(\.target) == [Self.path + "since=c1&limit=5000&collections=books%2Ctasks"])
    }

    @Test func `a restore is detected before additional collections are read`() async throws {
        let store = try unread()
        let tasks = try bench(store, "tasks")
        tasks.transport.expect(Bench.pull, answer: .changes([theirs(5)], cursor: "c1", holding: [theirs(5)]))
        _ = try await tasks.sync()

        let books = try bench(store, "books")
        books.transport.expect(Bench.pull, answer: .refusal(410, .epochChanged, shared: 2))
        books.transport.expect(Bench.pull, answer: .changes(cursor: "e0", holding: []))
        books.expectFormerCursor(restored: 2)
        books.transport.expect(
            Bench.push, answer: .changes(cursor: "e1", results: [applied(1, clock: taken)], holding: [theirs(1)]))
        #expect(try await books.sync().fullReads == [.restored(shared: 2)])
        #expect(try books.mutations(of: 3).map(\.action) == [.set(theirs(5).fields)])
        #expect(try collections(store) == CollectionSet(["books", "tasks"]))
    }

    @Test func `an edit of another collection is sent only after that collection has been received`() async throws {
        let store = try unread()
        let tasks = try bench(store, "tasks")
        tasks.transport.expect(Bench.pull, answer: .changes(cursor: "c1", holding: []))
        _ = try await tasks.sync()

        try tasks.edit(["title": "Dune"], of: Self.book)
        let other = theirs(2, ["title": "Solaris"], key: RecordKey(collection: "books", id: "o"))
        let stored = theirs(3, key: Self.book)
        tasks.transport.expect(Bench.pull, answer: .changes(cursor: "c1", holding: []))
        tasks.transport.expect(Bench.pull, answer: .changes([other], cursor: "c2", holding: [other]))
        tasks.expectFormerCursor()
        tasks.transport.expect(
            Bench.push, answer: .changes(cursor: "c3", results: [applied(3, clock: taken)], holding: [other, stored]))
        #expect(try await tasks.sync().fullReads == [.resync(.additionalCollections)])
        #expect(try collections(store) == CollectionSet(["books", "tasks"]))
        #expect(try tasks.cached(Self.book)?.pending == nil)
        #expect(try tasks.cached(other.key) != nil)
    }

    @Test func `a full read doesn't treat records of other collections as deleted`() async throws {
        let store = try unread()
        try store.hold(theirs(3, ["title": "Dune"], key: Self.book))
        let tasks = try bench(store, "tasks")
        try store.writeNow { _ = try $0.delete(Self.book) }
        tasks.transport.expect(
            Bench.pull, answer: .changes([theirs(3, ["title": "Dune"], key: Self.book)], cursor: "c1"))
        tasks.transport.expect(
            Bench.push, answer: .changes(cursor: "c2", results: [applied(4, clock: taken)], holding: []))
        _ = try await tasks.sync()
        #expect(try collections(store) == CollectionSet(["books", "tasks"]))
        #expect(try tasks.mutations(of: 1).map(\.action) == [.delete])
    }

    @Test func `only received collections are known completely, and none during a full read`() throws {
        var state = SpaceState(cursor: "c1", digest: SpaceDigest(), collections: CollectionSet(["tasks"]))
        #expect(state.hasReceivedAll(of: "tasks"))
        #expect(!state.hasReceivedAll(of: "books"))
        state.reading = FullRead.first.json
        #expect(!state.hasReceivedAll(of: "tasks"))
    }

    @Test func `a home that received all collections continues to receive all`() async throws {
        let tasks = try bench(.seen(), "tasks")
        tasks.transport.expect(Bench.pull, answer: .changes(cursor: "c1", holding: []))
        #expect(try await tasks.sync().fullReads == [])
        #expect(tasks.transport.requests.map(\.target) == [Self.path + "since=c0&limit=5000"])
    }
}

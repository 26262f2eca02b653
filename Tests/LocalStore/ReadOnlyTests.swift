import Foundation
import Records
import TestSupport
import Testing

@testable import LocalStore

@Suite("Reading a cache without opening it")
struct ReadOnlyTests {
    private let home: Home

    init() {
        home = Home(directory: URL(filePath: NSTemporaryDirectory()).appending(path: "readOnly-\(UUID().uuidString)"))
    }

    private func keep(_ title: String, in store: LocalStore) throws {
        _ = try store.writeNow { cache in
            try cache.edit(
                RecordKey(collection: "tasks", id: UUID().uuidString.lowercased()), ["title": .string(title)])
        }
    }

    private func titles(_ store: LocalStore, containing text: String) throws -> Int {
        try store.readNow { try $0.index.keys(titleContaining: text, limit: 9).count }
    }

    private func contents() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: home.directory.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: home.directory.appending(path: $0))) })
    }

    @Test("Its contents are read, and nothing is changed")
    func reads() throws {
        defer { try? FileManager.default.removeItem(at: home.directory) }
        do { try keep("100% of it", in: LocalStore(home: home)) }
        let before = try contents()
        let readOnly = try LocalStore(readOnly: home)
        #expect(try titles(readOnly, containing: "0% O") == 1)
        #expect(try titles(readOnly, containing: "0_") == 0)
        #expect(throws: LocalStoreError.self) { try keep("More", in: readOnly) }
        #expect(try contents() == before)
    }

    @Test("A recent write of another process is seen")
    func inUse() throws {
        defer { try? FileManager.default.removeItem(at: home.directory) }
        let store = try LocalStore(home: home)
        try keep("Milk", in: store)
        #expect(try titles(LocalStore(readOnly: home), containing: "milk") == 1)
        withExtendedLifetime(store) {}
    }

    @Test("A missing home isn't created")
    func nothing() {
        #expect(throws: LocalStoreError.self) { try LocalStore(readOnly: home) }
        #expect(!FileManager.default.fileExists(atPath: home.directory.path))
    }
}

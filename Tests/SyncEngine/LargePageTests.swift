import LocalStore
import Records
import SyncAPI
import Testing

@testable import SyncEngine

@Suite struct LargePageTests {
    /// Members in another order than a server's, and texts with everything that looks like structure.
    private static func record(_ id: String, _ text: String = #"a \"}],{[ \\"#) -> String {
        """
        {"clock": {"*": "x", "in": {"id": "no", "version": 7}}, "id": "\(id)", "fields": {"t": "\(text)", "l": [1, {}]},
         "deleted": false, "version": 42, "collection": "tasks", "modifiedAt": "now", "modifiedBy": "there"}
        """
    }

    private static func page(_ records: [String]) -> String {
        #"{"cursor": "c", "more": false, "records": [ "# + records.joined(separator: " , ") + #" ], "digest": "d"}"#
    }

    private static func read(_ page: String, recordLimit: Int, pieces: Int = .max) throws -> LargePage {
        var large = LargePage(recordLimit: recordLimit, pageLimit: 100_000)
        let bytes = Array(page.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            try large.append(Array(bytes[start..<min(bytes.count, start.addingReportingOverflow(pieces).partialValue)]))
        }
        return large
    }

    private static let large = record("large", String(repeating: "x", count: 5_000))

    @Test func `a page whose records all fit is unchanged`() throws {
        let page = Self.page([Self.record("a"), Self.record("b")])
        let read = try Self.read(page, recordLimit: 1_000, pieces: 1_000)
        #expect(try JSONValue(parsing: read.whole()) == JSONValue(parsing: page))
        #expect(read.oversized.isEmpty)
    }

    @Test(arguments: [0, 1, 2], [1, 7, 1_000_000])
    func `a record that is too large is omitted and named, whatever its position`(place: Int, pieces: Int) throws {
        let others = [Self.record("a"), Self.record("b")]
        var records = others
        records.insert(Self.large, at: place)
        let read = try Self.read(Self.page(records), recordLimit: 1_000, pieces: pieces)
        #expect(try JSONValue(parsing: read.whole()) == JSONValue(parsing: Self.page(others)))
        #expect(
            read.oversized == [
                OversizedRecord(
                    key: RecordKey(collection: "tasks", id: "large"), version: 42, deleted: false, modifiedAt: "now",
                    modifiedBy: "there", bytes: Self.large.utf8.count)
            ])
    }

    @Test func `a page of large records only is an empty one`() throws {
        let read = try Self.read(Self.page([Self.large, Self.large]), recordLimit: 1_000)
        #expect(try JSONValue(parsing: read.whole()) == JSONValue(parsing: Self.page([])))
        #expect(read.oversized.count == 2)
    }

    @Test func `of a large record no more than the limit is ever stored`() throws {
        var read = LargePage(recordLimit: 1_000, pageLimit: 100_000)
        var most = 0
        for byte in Self.page([Self.large]).utf8 {
            try read.append([byte])
            most = max(most, read.bytes.count)
        }
        #expect(most < 1_100)
    }

    @Test func `a large record without a name is refused`() {
        let nameless = Self.large.replacing(#""id":"#, with: #""no":"#)
        #expect(throws: MalformedAnswer.self) { try Self.read(Self.page([nameless]), recordLimit: 1_000) }
    }

    @Test func `a page of too many records that fit is refused`() {
        let records = (0..<1_000).map { Self.record("r\($0)") }
        #expect(throws: MalformedAnswer.self) { try Self.read(Self.page(records), recordLimit: 1_000) }
    }

    @Test func `an incomplete page is refused`() throws {
        let read = try Self.read(String(Self.page([Self.record("a")]).dropLast()), recordLimit: 1_000)
        #expect(throws: MalformedAnswer.self) { try read.whole() }
    }
}

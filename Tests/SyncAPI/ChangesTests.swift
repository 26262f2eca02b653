import Records
import SyncAPI
import Testing

@Suite("Mutations and their results on the wire")
struct ChangesTests {
    private let key = RecordKey(collection: "tasks", id: "a")
    private let moment = HLC(milliseconds: 1, device: "d")

    @Test("a mutation is written as the protocol shows it")
    func mutations() {
        #expect(
            Mutation(key: key, base: 41, at: moment, action: .set(["title": "x", "due": .null])).json.text
                == #"{"at":"000000000001-0000-d","base":41,"collection":"tasks","id":"a","set":{"due":null,"title":"x"}}"#
        )
        #expect(
            Mutation(key: key, base: 7, at: nil, clock: FieldClocks(all: moment), action: .delete).json.text
                == #"{"base":7,"clock":{"*":"000000000001-0000-d"},"collection":"tasks","delete":true,"id":"a"}"#)
    }

    @Test("a result comes back from its text")
    func results() throws {
        let tombstone = Record(key: key, version: 3, deleted: true, modifiedAt: "t", modifiedBy: "d")
        let results: [MutationResult] = [
            .applied(version: 43, modifiedAt: "2026-11-21T05:22:00.123Z", clock: FieldClocks(all: moment)),
            .conflictWithoutCurrent, .conflict(current: nil), .conflict(current: tombstone),
            .conflict(current: Record(key: key, version: 4, modifiedAt: "t", modifiedBy: "d", fields: ["n": 1])),
            .rejected(Problem(status: 422, code: .invalidBody, title: "Bad", detail: "why")),
        ]
        for result in results {
            var list = MutationResultList()
            list.append(.init(result))
            #expect(MutationResult(json: try JSONValue(parsing: list.bytes)) == result)
        }
    }

    @Test(
        "another shape is no result",
        arguments: [
            "[]", "{}", #"{"status":"odd"}"#, #"{"status":"applied"}"#, #"{"status":"applied","version":"1"}"#,
            #"{"status":"conflict","current":{}}"#, #"{"status":"rejected"}"#,
        ])
    func otherShapes(text: String) throws { #expect(MutationResult(json: try JSONValue(parsing: text)) == nil) }
}

import Records
import SyncAPI
import Testing

@Suite("Pages of changes and answers to pushes on the wire")
struct ChangesPageTests {
    private let key = RecordKey(collection: "tasks", id: "a")

    private func record(_ version: Int64, _ fields: JSONObject = ["title": "Milk"], deleted: Bool = false) -> Record {
        Record(
            key: key, version: version, deleted: deleted, modifiedAt: "2026-11-21T05:22:00.123Z", modifiedBy: "d",
            fields: deleted ? [:] : fields, clock: FieldClocks(all: HLC(milliseconds: 1, device: "d")))
    }

    private func list(_ records: [Record]) -> RecordList {
        var list = RecordList()
        for record in records { list.append(RawRecord(record)) }
        return list
    }

    @Test("a page survives a round trip through its text", arguments: [nil, SpaceDigest()])
    func pages(digest: SpaceDigest?) throws {
        let records = [record(3, ["t": "a \"[{,:\\ é"]), record(7, deleted: true)]
        let page = ChangesPage(records: list(records), cursor: "c", more: digest == nil, digest: digest)
        let again = try ChangesPage(body: page.body())
        #expect(again == page)
        #expect(try again.records.records() == records)
        #expect(again.records.lastVersion == 7)
    }

    @Test("a page without records survives a round trip")
    func emptyPages() throws {
        let page = ChangesPage(records: RecordList(), cursor: "c", more: false)
        let again = try ChangesPage(body: page.body())
        #expect(again == page)
        #expect(again.records.lastVersion == nil)
    }

    @Test("members of a page may have any order and white space between them")
    func spaces() throws {
        let text =
            #" { "more" : true , "other" : [ { } , "}" ] , "records" : [ {"version": 9} , {"version": 8} ] , "cursor":"c" } "#
        let page = try ChangesPage(body: Array(text.utf8))
        #expect(page.cursor == "c")
        #expect(page.more)
        #expect(page.records.count == 2)
        #expect(page.records.lastVersion == 8)
    }

    @Test(
        "a page of another form is refused",
        arguments: [
            "", "no JSON", "[]", "5", "{}", #"{"cursor": "c"}"#, #"{"records": []}"#, #"{"cursor": 5, "records": []}"#,
            #"{"cursor": "c", "records": {}}"#, #"{"cursor": "c", "records": [], "more": "yes"}"#,
            #"{"cursor": "c", "records": [], "digest": "00"}"#, #"{"cursor": "c", "records": [], "digest": 5}"#,
            #"{"cursor": "c", "records": []"#, #"{"cursor": "c", "records": [}"#, #"{"cursor": "c", "records": [{]"#,
            #"{"cursor": "c", "records": []} {}"#, #"{"cursor": "c", "records": [],}"#,
            #"{"cursor": "c", "cursor": "c", "records": []}"#, #"{"cursor" "c", "records": []}"#,
            #"{"cursor": "c, "records": []}"#,
        ])
    func malformedPages(text: String) {
        #expect(throws: MalformedAnswer.self) { try ChangesPage(body: Array(text.utf8)) }
    }

    @Test("a page that isn't UTF-8 is refused")
    func encodings() {
        let body = Array(#"{"cursor":"c","records":[{"x":""#.utf8) + [0xFF] + Array(#""}]}"#.utf8)
        #expect(throws: MalformedAnswer.self) { try ChangesPage(body: body) }
    }

    @Test("records of another form are detected when they are parsed")
    func malformedRecords() throws {
        let page = try ChangesPage(body: Array(#"{"cursor":"c","records":[{"id":"a"}]}"#.utf8))
        #expect(throws: MalformedAnswer.self) { try page.records.records() }
    }

    @Test("the answer to a push survives a round trip")
    func answers() throws {
        let results: [MutationResult] = [
            .applied(version: 4, modifiedAt: "t", clock: FieldClocks(all: HLC(milliseconds: 1, device: "d"))),
            .conflict(current: record(3)), .conflict(current: nil), .conflictWithoutCurrent,
            .rejected(Problem(status: 422, code: .invalidRequest, title: "Bad")),
        ]
        var list = MutationResultList()
        for result in results { list.append(.init(result)) }
        let changes: [PushAnswer.Changes] = [
            .resync(.cursorExpired), .page(ChangesPage(records: self.list([record(5)]), cursor: "c", more: false)),
        ]
        for changes in changes {
            let answer = try PushAnswer(body: PushAnswer.body(results: list, changes: changes))
            #expect(answer.results == results)
            #expect(answer.changes == changes)
        }
    }

    @Test(
        "the answer to a push of another form is refused",
        arguments: [
            #"{"cursor": "c", "records": []}"#, #"{"cursor": "c", "records": [], "results": {}}"#,
            #"{"cursor": "c", "records": [], "results": [{}]}"#, #"{"results": []}"#,
            #"{"results": [], "resync": ["cursor-expired"]}"#,
        ])
    func malformedAnswers(text: String) {
        #expect(throws: MalformedAnswer.self) { try PushAnswer(body: Array(text.utf8)) }
    }

    @Test("a part of a list of records survives a round trip", arguments: [RecordPage.Name.records, .revisions])
    func recordPages(name: RecordPage.Name) throws {
        let page = RecordPage(records: list([record(1), record(2)]), more: true, kept: name == .revisions ? 20 : nil)
        #expect(try RecordPage(name, body: page.body(name)) == page)
    }

    @Test("a push request survives a round trip, and ends before it is too large")
    func requests() throws {
        var writer = PushRequest.Writer(since: "c")
        let mutation = Mutation(
            key: key, base: 1, at: HLC(milliseconds: 1, device: "d"), action: .set(["title": "Milk"]))
        let added = [10, 1_000, 200].map { writer.append(mutation, maximumBytes: $0) }
        #expect(added == [true, true, false])
        #expect(try PushRequest(stored: writer.body).mutations == [mutation, mutation])
        #expect(try PushRequest(stored: writer.body).since == "c")
    }

    @Test("an event survives a round trip")
    func events() throws {
        let event = ChangeEvent(space: "s", cursor: "c", id: "i")
        #expect(event.text == "event: changes\nid: i\ndata: {\"cursor\":\"c\",\"space\":\"s\"}\n\n")
        #expect(try ChangeEvent(data: #"{"cursor":"c","space":"s"}"#, id: "i") == event)
        #expect(throws: MalformedAnswer.self) { try ChangeEvent(data: #"{"cursor":"c"}"#, id: "i") }
    }
}

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

    @Test("a result survives a round trip")
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
        "another shape is refused",
        arguments: [
            "[]", "{}", #"{"status":"odd"}"#, #"{"status":"applied"}"#, #"{"status":"applied","version":"1"}"#,
            #"{"status":"conflict","current":{}}"#, #"{"status":"rejected"}"#,
        ])
    func otherShapes(text: String) throws { #expect(MutationResult(json: try JSONValue(parsing: text)) == nil) }
}

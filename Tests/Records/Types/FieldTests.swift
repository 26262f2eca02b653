import Foundation
import Testing

@testable import Records

@Suite("Derived from the declaration of fields")
struct FieldTests {
    /// A program's own type: its state has several open values, and it is never due.
    private static let album = RecordType(
        collection: "albums", names: ["album", "albums"],
        fields: [
            Field(.title, kind: .title, place: .form),
            Field(FieldKey<[String]>("artists"), place: .form, column: Field.Column("artists")),
            Field(
                FieldKey<String>("state"),
                kind: .choice([
                    Choice("wanted"), Choice("lent"), Choice("sold", names: ["gone"], isClosed: true),
                ]), column: Field.Column("state", order: -60, layout: .mark)),
            Field(FieldKey<Double>("year"), column: Field.Column("year", order: -5)),
            Field(FieldKey<Bool>("signed")), Field(FieldKey<Timestamp>("bought"), role: .created),
            Field(FieldKey<Timestamp>("left"), role: .closed),
            Field(FieldKey<String>("story"), kind: .text, place: .apart),
        ])
    private let types = RecordTypes.standard.adding(album)
    private let dates: DateExpression.Context = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        return .init(now: Date(timeIntervalSince1970: 1_800_000_000), calendar: calendar)
    }()

    private func field(_ name: String) throws -> Field { try #require(Self.album.catalog[name]) }

    @Test(
        "A value is written so that it can be parsed again, or not at all",
        arguments: [
            ("title", "Blue train", "Blue train"),
            ("artists", ["Coltrane, J.", "Ammons"], #"["Coltrane, J.","Ammons"]"#),
            ("artists", ["John Coltrane", "Ammons"], "John Coltrane, Ammons"), ("state", "sold", "sold"),
            ("year", 1957, "1957"),
            ("signed", true, "true"), ("bought", "2026-11-20T23:00:00Z", "2026-11-21"),
            ("bought", "2026-11-21T14:30:00Z", "2026-11-21 15:30"),
            ("bought", "2026-11-21T14:30:07Z", "2026-11-21 15:30:07"),
            ("bought", "someday", nil), ("year", "old", nil), ("state", "burnt", nil), ("artists", [1], nil),
        ] as [(String, JSONValue, String?)])
    func typed(name: String, value: JSONValue, text: String?) throws {
        let field = try field(name)
        #expect(field.typed(value, dates) == text)
        if let text { #expect(try field.value(typed: text, dates) == value) }
    }

    @Test(
        "A value of the wrong kind is refused, unless the record has it already",
        arguments: [
            ("title", 1, "a text"), ("artists", "Ammons", "a set of texts"), ("artists", [1], "a set of texts"),
            ("state", "burnt", "one of "), ("year", "old", "a number"), ("signed", 1, "true or false"),
            ("bought", "someday", "a time"), ("story", ["a"], "a text"),
        ] as [(String, JSONValue, String)])
    func kinds(name: String, value: JSONValue, accepted: String) throws {
        let catalog = Self.album.catalog
        let patch: JSONObject = [name: value]
        let error = #expect(throws: InvalidField.self) { try FieldLimits.checkKinds(of: patch, on: [:], catalog) }
        #expect(error?.field == name)
        #expect(error?.description.contains("must be \(accepted)") == true)
        try FieldLimits.checkKinds(of: patch, on: patch, catalog)
        try FieldLimits.checkKinds(of: [name: .null], on: patch, catalog)
    }

    @Test("Undeclared fields have no kind, and of a set only the elements are checked that the record doesn't have")
    func accepted() throws {
        let catalog = Self.album.catalog
        try FieldLimits.checkKinds(of: ["label": 1, "year": 1957, "artists": []], on: [:], catalog)
        try FieldLimits.checkKinds(of: ["artists": [1, "Ammons"]], on: ["artists": [1]], catalog)
        #expect(throws: InvalidField.self) {
            try FieldLimits.checkKinds(of: ["artists": [1, 2]], on: ["artists": [1]], catalog)
        }
    }

    @Test("Changes are the fields as a record stores them; nil and an empty set remove a field")
    func changes() {
        var changes: FieldChanges = [.set(.title, "Blue train"), .set(.tags, []), .remove(.body)]
        #expect(changes.json == ["title": "Blue train", "tags": .null, "body": .null])
        changes[.title] = nil
        changes[.tags] = ["jazz"]
        #expect(changes == FieldChanges(json: ["title": .null, "tags": ["jazz"], "body": .null]))
        #expect(changes[.tags] == ["jazz"])
        #expect(changes[.title] == nil)
        #expect(changes[.due] == nil)
    }

    @Test(
        "A value of another kind than the field's has no content",
        arguments: [
            ("year", 3, .number(3)), ("year", "3", nil), ("signed", false, .flag(false)),
            ("state", "lent", .text("lent")),
            ("state", "burnt", nil), ("artists", ["a", 1], .texts(["a"])),
            ("bought", "2026-11-20T23:00:00Z", .date(.time(Timestamp(seconds: 1_795_215_600)))),
        ] as [(String, JSONValue, FieldContent?)])
    func content(name: String, value: JSONValue, content: FieldContent?) throws {
        #expect(try field(name).content(of: value) == content)
    }

    @Test(
        "A type with values that close a record can be completed: the first open value, the first closed one, the time"
    )
    func completion() throws {
        let closing = try #require(Self.album.closing)
        let now = Timestamp(seconds: 1_800_000_000)
        let new = Self.album.initialFields(at: now)
        #expect(new == ["bought": .string(now.description), "state": "wanted"])
        #expect(closing.completing(new, at: now) == ["state": "sold", "left": .string(now.description)])
        #expect(closing.completing(["state": "sold"], at: now).isEmpty)
        #expect(closing.reopening(["state": "sold", "left": "x"]) == ["state": "wanted", "left": .null])
        #expect(closing.reopening([:]).isEmpty)
        #expect(Self.album.isClosed(["state": "sold"]) && !Self.album.isClosed(["state": "lent"]))
        #expect(
            [closing.mark(of: "wanted"), closing.mark(of: "sold"), closing.mark(of: "odd")] == [
                nil, "gone", "odd",
            ])
        #expect(NoteRecord.type.closing == nil && !NoteRecord.type.isClosed(["status": "completed"]))
    }

    @Test("The columns of all types have one order; the title has position 0")
    func columns() {
        #expect(
            types.columns.map(\.name) == [
                "state", "status", "due", "repeat", "priority", "project", "year", "title", "tags", "artists",
            ])
        #expect(RecordTypes([Self.album]).columns.map(\.name) == ["state", "year", "title", "artists"])
    }

    @Test("The body is the first text that is declared separately; a type without one has the usual name")
    func body() {
        #expect(Self.album.body.name == "story" && TaskRecord.type.body.name == "body")
        #expect(RecordType(collection: "x").body.name == "body")
    }

    @Test("In the default order types that are never due follow the others, grouped by type")
    func order() throws {
        let rows = [
            ("albums", "b", "1"), ("notes", "c", "1"), ("tasks", "a", "9"), ("albums", "d", "0"), ("notes", "e", "0"),
        ]
        .map { QueryRow(collection: $0.0, id: $0.1, fields: ["entry": .string($0.2), "bought": .string($0.2)]) }
        let query = try Query([], dates: dates, types: types)
        #expect(query.select(from: rows).map(\.id) == ["a", "e", "c", "d", "b"])
        #expect(try Query(["overdue"], dates: dates, types: RecordTypes([Self.album])).select(from: rows).isEmpty)
    }

    @Test("Title words are found without parsing values")
    func titleWords() {
        let words = ["2", "+a", "due:nonsense", "x:", "3", "--", "4"]
        #expect(Edit.titleWords(of: words, catalog: types.catalog, dates: dates) == ["2", "x:", "3"])
    }

    @Test("Words that continue a date aren't title words")
    func datedTitleWords() {
        let words = ["due:december", "3", "4", "wait:next", "week"]
        #expect(Edit.titleWords(of: words, catalog: types.catalog, dates: dates) == ["4"])
    }
}

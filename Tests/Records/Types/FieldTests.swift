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
        "A value of another kind than the field's has no content",
        arguments: [
            ("year", 3, .number(3)), ("year", "3", nil), ("signed", false, .flag(false)),
            ("state", "lent", .text("lent")),
            ("state", "burnt", nil), ("artists", ["a", 1], .texts(["a"])),
            ("bought", "2026-11-20T23:00:00Z", .moment(Timestamp(seconds: 1_795_215_600))),
        ] as [(String, JSONValue, FieldContent?)])
    func content(name: String, value: JSONValue, content: FieldContent?) throws {
        #expect(try field(name).content(of: value) == content)
    }

    @Test(
        "A type with values that close a record can be completed: the first open value, the first closed one, the time"
    )
    func completion() throws {
        let completion = try #require(Self.album.completion)
        let now = Timestamp(seconds: 1_800_000_000)
        let new = Self.album.initialFields(at: now)
        #expect(new == ["bought": .string(now.description), "state": "wanted"])
        #expect(completion.completing(new, at: now) == ["state": "sold", "left": .string(now.description)])
        #expect(completion.completing(["state": "sold"], at: now).isEmpty)
        #expect(completion.reopening(["state": "sold", "left": "x"]) == ["state": "wanted", "left": .null])
        #expect(completion.reopening([:]).isEmpty)
        #expect(Self.album.isClosed(["state": "sold"]) && !Self.album.isClosed(["state": "lent"]))
        #expect(
            [completion.mark(of: "wanted"), completion.mark(of: "sold"), completion.mark(of: "odd")] == [
                nil, "gone", "odd",
            ])
        #expect(NoteRecord.type.completion == nil && !NoteRecord.type.isClosed(["status": "completed"]))
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

    @Test("In the usual order types that are never due follow the others, grouped by type")
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
        #expect(Edit.titleWords(of: words, catalog: types.catalog) == ["2", "x:", "3"])
    }
}

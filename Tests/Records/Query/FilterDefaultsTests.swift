import Foundation
import Records
import Testing

@Suite("The values that a filter requires of a new record")
struct FilterDefaultsTests {
    @Test(
        "Plain values count; alternatives, negations, dates, states and several values don't",
        arguments: [
            (["project:house", "+garden"], ["project:house", "+garden"]), (["priority:H", "due<eow"], ["priority:H"]),
            (["project:house", "and", "+garden"], ["project:house", "+garden"]), (["+a", "or", "+b"], []),
            (["not", "+a"], []), (["not:project:x"], []), (["(+a)"], []), (["+a,b"], []), (["project:a,b"], []),
            (["project:none"], []), (["project:"], []), (["project:/x/"], []), (["status:completed"], []),
            (["due:today"], []), (["-later", "+soon"], ["+soon"]), (["@list", "+soon"], ["+soon"]),
            (["+soon", "--", "+text"], ["+soon"]), (["milk", "sort:due"], []), (["field.x:1"], []),
        ])
    func words(filter: [String], expected: [String]) {
        #expect(FilterDefaults(of: filter, catalog: TaskRecord.type.catalog).words == expected)
    }

    @Test("Values of fields that the type doesn't declare are omitted")
    func otherType() {
        let defaults = FilterDefaults(of: ["priority:H", "+garden"], catalog: NoteRecord.type.catalog)
        #expect(defaults.words == ["+garden"])
    }
}

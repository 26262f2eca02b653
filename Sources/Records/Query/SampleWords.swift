/// Examples of the words that describe a record or select records, for help texts. They name only fields that the record
/// types of the program declare.
package struct SampleWords: Sendable {
    /// Whether records have tags.
    package let hasTags: Bool
    // The first fields of these kinds that forms or lists show; nil: there is none.
    package private(set) var path: Field?
    package private(set) var moment: Field?
    package private(set) var choice: Field?
    package private(set) var number: Field?
    /// A word of a field with a syntax of its own: `repeat:daily`.
    private var syntax: String?
    private let catalog: FieldCatalog

    /// Creates examples for the record types of a program.
    package init(_ types: RecordTypes) {
        catalog = types.catalog
        hasTags = types.listedTypes.flatMap(\.catalog.fields).contains { field in
            if case .words = field.kind { field.name == FieldKey.tags.name } else { false }
        }
        // Records are completed by a command, so the fields that it changes aren't examples.
        let states = types.closings.all.map(\.field)
        for field in types.listedTypes.flatMap(\.catalog.fields)
        where field.isTyped && (field.place == .form || field.column != nil) && !states.contains(field.name) {
            switch field.kind {
            case .path: path = path ?? field
            case .moment, .date: moment = moment ?? field
            case .choice: choice = choice ?? field
            case .number: number = number ?? field
            case .custom(let kind): syntax = syntax ?? kind.examples.first.map { field.name + ":" + $0 }
            case .title, .text, .word, .words, .flag, .annotations, .reference, .references, .any: break
            }
        }
    }

    /// The words of a filter or a search: `+tag -tag project:home due<=eow priority:H @list`.
    package var filter: String {
        let tags = hasTags ? ["+tag", "-tag"] : []
        return (tags + conditions + ["@list"]).joined(separator: " ")
    }

    /// A short filter: `+shop due<=eow`.
    package var shortFilter: String {
        let condition = moment.map { $0.name + "<=eow" } ?? conditions.first
        return [hasTags ? "+shop" : nil, condition].compactMap(\.self).joined(separator: " ")
    }

    /// The words after the title of a new record: `+tag`, `project:home`, `due:friday`, `priority:H`, `repeat:daily`.
    package var typed: [String] {
        let words: [String?] = [
            hasTags ? "+tag" : nil, path.map { $0.name + ":home" }, moment.map { $0.name + ":friday" }, chosen,
            number.map { $0.name + ":4" }, syntax,
        ]
        return words.compactMap(\.self)
    }

    /// Returns whether there are tags and all fields of other types that can be typed.
    package func declaresAll(of others: RecordTypes) -> Bool {
        hasTags
            && others.catalog.fields.allSatisfy { field in
                !field.isTyped || ([field.name] + field.aliases).allSatisfy { catalog.field(typed: $0) != nil }
            }
    }

    /// Returns whether all fields and tags that the words of a line name are declared.
    package func declares(_ words: [String]) -> Bool {
        words.allSatisfy { word in
            switch Token(word) {
            case .tag, .withoutTag: hasTags
            case .attribute(let name, _, _): catalog.field(typed: name) != nil
            case .word: true
            }
        }
    }

    /// The conditions of a filter: `project:home`, `due<=eow`, `priority:H`.
    private var conditions: [String] {
        let words: [String?] = [
            path.map { $0.name + ":home" }, moment.map { $0.name + "<=eow" }, chosen, number.map { $0.name + ">3" },
        ]
        return words.compactMap(\.self)
    }

    /// A word of a field with few values: `priority:H`.
    private var chosen: String? {
        choice.flatMap { field in field.kind.offeredChoices?.first.map { field.name + ":" + $0 } }
    }
}

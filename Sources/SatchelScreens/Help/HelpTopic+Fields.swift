public import LineView
internal import Manual
public import Records

// How the declared fields are typed. A record type that a program adds is explained without a line of its own.
extension HelpTopic {
    /// The fields of the record types that lists show, each as it is typed.
    public static func fields(of types: RecordTypes) -> HelpTopic {
        HelpTopic(
            "fields", title: "Fields", summary: "How to set the fields of records.",
            [
                .text(
                    """
                    Commands that add or edit a record take these words anywhere among their arguments; all other words \
                    are the title. `name:` without a value removes a field. Filters accept the same words.
                    """)
            ]
                + types.listedTypes.flatMap { type -> [Manual.Block] in
                    let fields = type.catalog.fields.filter { $0.isTyped && !$0.isTitle }
                    return [.heading(type.title), .terms(fields.map(\.term))]
                })
    }
}

extension Field {
    fileprivate var isTitle: Bool {
        if case .title = kind { true } else { false }
    }

    /// What is typed for the field, and what it means.
    fileprivate var term: Manual.Term {
        let (example, meaning) = usage
        return Manual.Term(example, ["\(label): \(meaning)", help].compactMap(\.self).joined(separator: "; ") + ".")
    }

    private var usage: (example: String, meaning: String) {
        switch kind {
        case .title, .text: ("\(name):TEXT", "a text")
        case .word, .annotations: ("\(name):TEXT", "a short text")
        case .any: ("\(name):VALUE", "any value")
        case .path: ("\(name):A.B", "a name; `.` separates levels")
        case .words: (name == FieldKey<[String]>.tags.name ? "+TAG, -TAG" : "\(name):A,B", "short texts")
        case .choice: ("\(name):\(offered.first ?? "VALUE")", offered.joined(separator: ", "))
        case .moment, .date: ("\(name):DATE", "a date, see `help dates`")
        case .number: ("\(name):4", "a number; filters also compare it, for example `\(name)>3`")
        case .flag: ("\(name):true", "`true` or `false`")
        case .reference: ("\(name):RECORD", "a record, by its number or id")
        case .references: ("\(name):RECORD,…", "records to add, by number or id; `\(name):-RECORD` removes one")
        case .custom: ("\(name):TEXT", "a text with a syntax of its own")
        }
    }

    private var offered: [String] { kind.offeredChoices ?? [] }
}

internal import ControllerKit
internal import Controllers
public import LineView
internal import Manual
public import Records

// Topics about the words of a command: records, dates, filters.
extension HelpTopic {
    /// How commands refer to records.
    public static let records = HelpTopic(
        "records", title: "References to records", summary: "How to refer to records in commands.",
        [
            .text(
                """
                By the number in the last list on this terminal, which stays with the record until the next list, or by an \
                unambiguous beginning of the id that `list` shows. Full ids work everywhere. Commands that change several \
                records also accept lists and ranges of numbers: `rm 1,3,5-7`.
                """),
            .text(
                """
                In a list, `…` after a title means that the record has more text, and `*` that it has unsent edits.
                """),
        ], concerns: { $0.kind == .record || $0.completion.namesRecords })

    /// The notation of dates.
    public static let dates = HelpTopic(
        "dates", title: "Dates", summary: "How to write dates and times.",
        [
            .terms([
                Manual.Term("today, tomorrow, yesterday, now", "These days, or the present moment."),
                Manual.Term("mon … sun, friday, \"next friday\"", "The next such day after today."),
                Manual.Term("2026-12-01", "A day (ISO 8601)."),
                Manual.Term("2026-12-01T15:00, \"friday 15:00\", 3pm", "A time of a day; without a day, of today."),
                Manual.Term(
                    "+3d, 2w, \"in 3 days\", \"2 weeks ago\"",
                    "Relative to today, or to now with min and h. Units: min, h, d, w, mo, y."),
                Manual.Term("sod, sow, som, soy", "The start of the day, week, month or year."),
                Manual.Term("eod, eow, eom, eoy", "The end of the day, week, month or year."),
            ]),
            .text(
                """
                Days begin and end in your time zone, with daylight saving time. Filters accept the same words; there \
                `today` matches any time of that day.
                """),
        ], concerns: { $0.completion == .words })

    /// The notation of filters, with the fields and words of these record types.
    public static func filters(of types: RecordTypes) -> HelpTopic {
        let samples = SampleWords(types)
        let declared = samples.terms + types.kindTerms + types.stateTerms
        let common = [
            Manual.Term("@shopping", "The saved filter of that name; `save` saves one."), types.textTerm,
            Manual.Term("milk", "Any other word must occur in the record, without regard to case and accents."),
            Manual.Term("not:WORD", "Negates a term; `-` also works before a term with a colon."),
            Manual.Term("-- +shop", "After `--` all words are searched literally."), samples.orderTerm,
        ]
        return HelpTopic(
            "filters", title: "Filters", summary: "How to select and sort records.",
            [
                .terms(declared + common),
                .text(
                    """
                    All terms must match. Any field can be named; see `help fields`. `name:` without a value matches the \
                    records without that field. In a shell, quote terms that contain `<` or `>`.
                    """),
            ])
    }

    /// Repeating tasks.
    public static let repeating = HelpTopic(
        "repeat", title: "Repeating tasks", summary: "Tasks that repeat when they are completed.",
        [
            .terms([
                Manual.Term(
                    "add Water plants due:friday repeat:weekly", "A repeating task; it needs a due date."),
                Manual.Term("repeat:daily, weekdays, weekly, monthly, yearly", "The interval."),
                Manual.Term(
                    "repeat:3d, 2w, 6mo, \"repeat:every 2 weeks\"", "A number of days, weeks, months or years."),
                Manual.Term("until:2027-06-30", "The last day of the series."),
                Manual.Term("edit 2 repeat:", "Remove the interval. `rm` also ends the series."),
                Manual.Term("list repeat:weekly, list not:repeat:", "Tasks with this interval; all repeating tasks."),
            ]),
            .text(
                """
                `done` creates the next task. It is due at the next moment of the series that is in the future, at the same \
                time of day in the time zone where `repeat:` was typed. After a shorter month, the series returns to the \
                31st. If you change the due date, the series continues from the new date.
                """),
            .text(
                """
                Two devices that complete the same task offline create one next task. `undone` and `undo` remove it again.
                """),
        ])
}

extension SampleWords {
    /// The conditions on fields.
    fileprivate var terms: [Manual.Term] {
        var terms: [Manual.Term] = []
        if hasTags { terms.append(Manual.Term("+shop, -shop", "Records with the tag, or without it.")) }
        if let path {
            let (name, label) = (path.name, path.label.lowercased())
            terms.append(
                Manual.Term("\(name):house", "Records in this \(label) or one below it; `\(name):` those in none."))
        }
        if let choice, let values = choice.kind.offeredChoices, let first = values.first {
            let meaning = "\(choice.label) \(values.joined(conjunction: "or"))."
            terms.append(Manual.Term("\(choice.name):\(first)", meaning))
        }
        if let number {
            terms.append(Manual.Term("\(number.name):4, \"\(number.name)>3\"", "By number."))
        }
        if let moment {
            let name = moment.name
            terms.append(
                Manual.Term(
                    "\(name):today, \"\(name)<eow\", \"\(name)>=2026-12-01\"", "By date; see `help dates`."))
        }
        return terms
    }

    /// The order of the records.
    fileprivate var orderTerm: Manual.Term {
        let names = [choice, moment, number].compactMap { $0?.name }.prefix(2)
        let both = names.count > 1 ? ", sort:" + names.joined(separator: ",") : ""
        return Manual.Term("sort:-\(names.last ?? FieldKey.title.name)\(both)", "The order; `-` reverses it.")
    }
}

extension RecordTypes {
    /// The names of the types; empty if there is only one.
    fileprivate var kindTerms: [Manual.Term] {
        guard listedTypes.count > 1 else { return [] }
        return [
            Manual.Term(
                listedTypes.map(\.noun).joined(separator: ", "),
                listedNames({ "only " + $0.plural }, conjunction: "or").sentence)
        ]
    }

    /// The words for the status of records; empty if the types have none.
    fileprivate var stateTerms: [Manual.Term] {
        let overdue = listedTypes.contains { $0.deadline != nil } ? ["overdue"] : []
        let closings = listedTypes.compactMap(\.closing)
        if closings.isEmpty { return overdue.map { Manual.Term($0, "Records whose date has passed.") } }
        var words: [String] = []
        for word in closings.flatMap({ [$0.mark(of: $0.done) ?? $0.done, $0.open] }) where !words.contains(word) {
            words.append(word)
        }
        return [
            Manual.Term(
                (words + overdue + ["all"]).joined(separator: ", "), "By status; the default is what is open.")
        ]
    }

    /// The words in one field.
    fileprivate var textTerm: Manual.Term {
        let title = FieldKey.title.name
        guard let body = listedTypes.first(where: { $0.catalog[$0.body.name] != nil })?.body else {
            return Manual.Term("\(title):milk", "Records with the word in the title.")
        }
        return Manual.Term(
            "\(title):milk, \(body.name):milk",
            "Records with the word in the title, or in the \(body.label.lowercased()).")
    }
}

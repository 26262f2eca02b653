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
                By the number in the last list on this terminal, which stays with the record until the next list, by an \
                unambiguous beginning of the id that `list` shows, or by the whole title in quotes. Full ids work everywhere. \
                Commands that change several records also accept lists and ranges of numbers, and filters: `rm 1,3,5-7`, \
                `rm @later`. Of commands with further words, such as `edit`, the first word is the filter, and all others are \
                changes; put a filter of several words in quotes.
                """),
            .text(
                """
                More than 10 records, and records to be deleted by a filter, are changed after a question; `--yes` answers it \
                in a script. After `--` no word is a reference.
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
                Manual.Term("today, tomorrow, yesterday, now", "These days, or the current moment."),
                Manual.Term("mon … sun, friday, \"next friday\"", "The next such day after today."),
                Manual.Term("27 nov, \"january 3rd\", \"3 jan 2027\", 15th", "The next such day, or that of the year."),
                Manual.Term("2026-12-24, 24.12.2026, 24.12.", "A day in digits; with dots, the day is first."),
                Manual.Term(
                    "24/12, 12/24/2026",
                    "With slashes, either order. A day that both orders can mean, such as 1/5, is refused."),
                Manual.Term(
                    "15:00, 3pm, noon, morning, afternoon, evening",
                    "A time. Without a day: of today, or of tomorrow if it is past; in a filter, always of today."),
                Manual.Term(
                    "\"friday 15:00\", \"5pm tomorrow\", tonight, 2026-12-24T15:00", "A time of a day."),
                Manual.Term("midnight", "The next midnight. For another day, write 00:00 or 23:59."),
                Manual.Term(
                    "+3d, 2w, \"in two weeks\", \"in half an hour\", \"2 weeks ago\"",
                    "Relative to today, or to now with min and h. Units: min, h, d, w, mo, y."),
                Manual.Term(
                    "tomorrow+2h, eom-3d, \"a week from friday\", \"monday in 2 weeks\"", "Relative to another day."),
                Manual.Term(
                    "\"next week\", \"next month\", \"next year\", \"wed next week\"",
                    "The first day of the next week, month or year; a day of the next week."),
                Manual.Term("weekend, \"next weekend\"", "Its Saturday; on a Sunday, `weekend` is today."),
                Manual.Term("sow, som, soq, soy", "The first day of the week, month, quarter or year."),
                Manual.Term("eod, eow, eom, eoq, eoy", "Today; the last day of the week, month, quarter or year."),
                Manual.Term(
                    "\"first monday of december\", \"last friday of month\", \"end of next month\"",
                    "A day of a month or of another period."),
                Manual.Term("easter, \"good friday\", \"easter 2027\"", "The next such day, or that of the year."),
                Manual.Term("someday, later", "After all other dates: 9999-12-30."),
            ]),
            .text(
                """
                After the name of a field with dates, several words need no quotes if they follow each other. Days begin and end in your time zone, with daylight saving time. Filters \
                accept the same words, with quotes; there a day matches any time of that day.
                """),
        ], concerns: { $0.completion == .words || $0.completion == .filter })

    /// The notation of filters, with the fields and words of these record types.
    public static func filters(of types: RecordTypes) -> HelpTopic {
        let samples = SampleWords(types)
        let declared = samples.terms + types.kindTerms + types.stateTerms + types.workTerms
        let common = [
            Manual.Term("@shopping", "The saved filter of that name; `save` saves one."), types.textTerm,
            Manual.Term("milk", "Any other word must occur in the record, without regard to case and accents."),
            Manual.Term("/milk|bread/, title:/^buy/", "A regular expression, without regard to case."),
            types.presenceTerm,
            Manual.Term("not:WORD", "Negates a term; `-` also works before a term with a colon."),
            Manual.Term(
                "A or B, A xor B, A and B, not A, ( A or B )",
                "Combines terms; terms without an operator between them must all match. `not` binds most tightly, then `and`, `or`, `xor`."
            ),
            Manual.Term("-- +shop", "After `--` all words are searched literally."), samples.orderTerm,
            Manual.Term("limit:20", "The maximum number of rows, as with `--limit`."),
            Manual.Term("context NAME", "A command: its filter applies to all lists and reports until `context none`."),
        ]
        return HelpTopic(
            "filters", title: "Filters", summary: "How to select and sort records.",
            [
                .terms(declared + common),
                .text(
                    """
                    Any field can be named; see `help fields`. `name:` or `name:none` matches the records without that \
                    field, `name:any` those with it, and `name!=value` is the opposite of `name:value`. In a shell, quote \
                    terms that contain `<`, `>`, `(`, `)` or `!`; a group can be one word: `list "(A or B)"`.
                    """),
                .text(
                    """
                    Taskwarrior's modifiers work, too: `name.before:`, `.after:`, `.by:`, `.is:`, `.not:`, `.has:`, \
                    `.startswith:`, `.endswith:`, `.word:`, `.none:` and `.any:`; so do `+OVERDUE`, `-BLOCKED` and the \
                    like. In `search`, `or`, `xor`, `and`, `not`, parentheses and words of `list` \
                    such as `all` are searched for.
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
                Manual.Term("repeat:daily, weekdays, weekends, weekly, monthly, yearly", "The interval."),
                Manual.Term(
                    "repeat:3d, 2w, 6mo, repeat:every 2 weeks", "A number of days, weeks, months or years."),
                Manual.Term(
                    "repeat:mon,wed,fri, repeat:every other monday", "Days of the week."),
                Manual.Term(
                    "repeat:every 15th, repeat:last friday, repeat:last weekday", "Days of the month."),
                Manual.Term("repeat:every 3 jan", "A day of the year."),
                Manual.Term("repeat:after 3 days, repeat:every! 3 days", "Counted from the completion."),
                Manual.Term("repeat:daily for 5 times", "A number of times, the first one included."),
                Manual.Term("repeat:FREQ=MONTHLY;BYDAY=2TU", "Any rule of RFC 5545; quote it in a shell."),
                Manual.Term("until:2027-06-30", "The last day of the series."),
                Manual.Term("edit 2 repeat:", "Remove the interval. `rm` also ends the series."),
                Manual.Term("list repeat:weekly, list not:repeat:", "Tasks with this interval; all repeating tasks."),
            ]),
            .text(
                """
                `done` creates the next task. It is due at the next moment of the series that is in the future, at the same \
                time of day in the time zone where `repeat:` was typed. In a shorter month, the 31st is its last day; \
                after it, the series returns to the 31st. If you change the due date, the series continues from the new \
                date.
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
        if hasTags {
            terms.append(Manual.Term("+shop, -shop", "Records with the tag, or without it."))
            terms.append(Manual.Term("+shop,house", "Records with one of the tags; `-shop,house` those with neither."))
        }
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
                    "\(name):today, \"\(name)<=eow\", \"\(name)>=2026-12-01\"", "By date; see `help dates`."))
            terms.append(
                Manual.Term(
                    "\(name):mon..fri, \(name):..eow",
                    "By a range of dates, ends included; each end may be missing."))
            terms.append(Manual.Term("edited:today", "By the last edit."))
        }
        return terms
    }

    /// The order of the records.
    fileprivate var orderTerm: Manual.Term {
        let names = [choice, moment, number].compactMap { $0?.name }.prefix(2)
        let both = names.count > 1 ? ", sort:" + names.joined(separator: ",") : ""
        return Manual.Term(
            "sort:-\(names.last ?? FieldKey.title.name)\(both)",
            "The order; `-` reverses it. `sort:-edited`: the last edited first.")
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
        let days = Manual.Term("today, tomorrow, yesterday, week, month", "Open records whose date is then.")
        if closings.isEmpty { return overdue.flatMap { [Manual.Term($0, "Records whose date has passed."), days] } }
        var words: [String] = []
        for word in closings.flatMap({ [$0.mark(of: $0.done) ?? $0.done, $0.open] }) where !words.contains(word) {
            words.append(word)
        }
        let status = Manual.Term(
            (words + overdue + ["all"]).joined(separator: ", "), "By status; the default is what is open.")
        return overdue.isEmpty ? [status] : [status, days]
    }

    /// The fields with a value.
    fileprivate var presenceTerm: Manual.Term {
        let body = listedTypes.lazy.compactMap { $0.catalog[$0.body.name] }.first
        let notes = catalog.fields.first { field in
            if case .annotations = field.kind { true } else { false }
        }
        let names = [body?.name, notes.map { $0.aliases.first ?? $0.name }, "conflict"].compactMap(\.self)
        return Manual.Term(
            names.map { "has:" + $0 }.joined(separator: ", "),
            "Records with a value in the field; `has:conflict`: with an open conflict.")
    }

    /// The words for what can be done now; empty if no type has such fields.
    fileprivate var workTerms: [Manual.Term] {
        let declares = { (role: Field.Role) in
            listedTypes.contains { $0.catalog.fields.contains { $0.role == role } }
        }
        if completableTypes.isEmpty { return [] }
        var terms = [Manual.Term("ready", "Open, and nothing speaks against doing it now.")]
        if declares(.hiddenUntil) {
            terms.append(Manual.Term("waiting", "Hidden until a date; lists omit these records."))
        }
        if declares(.started) { terms.append(Manual.Term("active", "Started with `start`.")) }
        if declares(.dependencies) {
            terms.append(
                Manual.Term("blocked, blocking", "Depends on an open record; an open record depends on it."))
        }
        return terms + [Manual.Term("sort:urgency", "The most urgent first, as `next` does.")]
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

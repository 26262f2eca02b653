internal import ControllerKit
internal import Controllers
public import LineView
internal import Manual

// Topics about the words of a command: records, dates, filters.
extension HelpTopic {
    /// How commands refer to records.
    public static let records = HelpTopic(
        "records", title: "References to records", summary: "How to refer to records in commands.",
        [
            .text(
                """
                By the number in the last list on this terminal, which stays with the record until the next list, or by an \
                unambiguous beginning of the id that `list` shows. Full ids work everywhere. `done`, `undone`, `tag` and \
                `rm` also accept lists and ranges of numbers: `done 1,3,5-7`.
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
                Days begin and end in your time zone, with daylight saving time. Filters accept the same words: `due:today` \
                matches any time of that day.
                """),
        ], concerns: { $0.completion == .words })

    /// The notation of filters.
    public static let filters = HelpTopic(
        "filters", title: "Filters", summary: "How to select and sort records.",
        [
            .terms([
                Manual.Term("+shop, -shop", "Records with the tag, or without it."),
                Manual.Term(
                    "project:house",
                    "Records of this project or one below it; `project:` those without one. Works for any field."),
                Manual.Term("priority:H", "Priority H, M or L."),
                Manual.Term("due:today, \"due<eow\", \"due>=2026-12-01\"", "By date; see `help dates`."),
                Manual.Term("task, note", "Only tasks, or only notes."),
                Manual.Term("done, pending, overdue, all", "By status; the default is what is open."),
                Manual.Term("@shopping", "The saved filter of that name; `save` saves one."),
                Manual.Term("title:milk, body:milk", "Records with the word in the title, or in the body."),
                Manual.Term("milk", "Any other word must occur in the record, without regard to case and accents."),
                Manual.Term("not:WORD", "Negates a term; `-` also works before a term with a colon."),
                Manual.Term("-- +shop", "After `--` all words are searched literally."),
                Manual.Term("sort:-due, sort:priority,due", "The order; `-` reverses it."),
            ]),
            .text("All terms must match. In a shell, quote terms that contain `<` or `>`."),
        ])

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

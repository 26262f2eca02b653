import ControllerKit
import Controllers
import LineView
import Manual

// What the words of a command may be: records, dates, filters.
extension HelpTopic {
    static let records = HelpTopic(
        "records", title: "Naming records", summary: "How to name tasks and notes in commands.",
        [
            .text(
                """
                By the number in the last list on this terminal, which stays with the record until the next list; or by the \
                beginning of the id that `list` shows, as long as it fits only one. Full ids work everywhere.
                """),
            .text(
                """
                In a list, `…` after a title means that there is more to `show`, and `*` that the record has edits that \
                weren't sent.
                """),
        ], concerns: { $0.kind == .record || $0.completion.namesRecords })

    static let dates = HelpTopic(
        "dates", title: "Dates", summary: "How days and times are written.",
        [
            .terms([
                Manual.Term("today, tomorrow, yesterday, now", "These days; or this moment."),
                Manual.Term("mon … sun, friday, \"next friday\"", "The first such day after today."),
                Manual.Term("2026-12-01", "A day (ISO 8601)."),
                Manual.Term("2026-12-01T15:00, \"friday 15:00\", 3pm", "A time on a day; without a day, today."),
                Manual.Term("+3d, 2w, \"in 3 days\", \"2 weeks ago\"", "So far from now: min, h, d, w, mo, y."),
                Manual.Term("sod, sow, som, soy", "The start of the day, week, month or year."),
                Manual.Term("eod, eow, eom, eoy", "Its end."),
            ]),
            .text(
                """
                Days begin and end in your time zone, also where clocks are changed. The same words stand in filters: \
                `due:today` is any time of that day.
                """),
        ], concerns: { $0.completion == .words })

    static let filters = HelpTopic(
        "filters", title: "Filters", summary: "Which records a list shows, and in which order.",
        [
            .terms([
                Manual.Term("+shop, -shop", "With the tag, or without it."),
                Manual.Term("project:house", "In this project or one below it; `project:` in none. So for any field."),
                Manual.Term("priority:H", "H, M or L."),
                Manual.Term("due:today, \"due<eow\", \"due>=2026-12-01\"", "By a date; see `help dates`."),
                Manual.Term("task, note", "Only these."),
                Manual.Term("done, pending, overdue, all", "By what has become of it; else what is to be done."),
                Manual.Term("@shopping", "As the filter of that name says; `save` gives names."),
                Manual.Term("title:milk, body:milk", "Where the word occurs."),
                Manual.Term("milk", "Any other word must occur somewhere, whatever the case and the accents."),
                Manual.Term("not:WORD", "The opposite of a word; before one with a colon, `-` will do."),
                Manual.Term("-- +shop", "After `--` every word is searched for literally."),
                Manual.Term("sort:-due, sort:priority,due", "The order; `-` turns it round."),
            ]),
            .text("All must hold. In a shell, quote what has `<` or `>`."),
        ], concerns: { $0.name == "filter" })

    static let repeating = HelpTopic(
        "repeat", title: "Repeating tasks", summary: "Tasks that come again when they are done.",
        [
            .terms([
                Manual.Term(
                    "add Water plants due:friday repeat:weekly", "A task that comes again; it has to have a due."),
                Manual.Term("repeat:daily, weekdays, weekly, monthly, yearly", "How often."),
                Manual.Term(
                    "repeat:3d, 2w, 6mo, \"repeat:every 2 weeks\"", "So many days, weeks, months, years apart."),
                Manual.Term("until:2027-06-30", "When the series ends."),
                Manual.Term("edit 2 repeat:", "It won't come again. `rm` ends the series, too."),
                Manual.Term("list repeat:weekly, list not:repeat:", "Those of an interval; all that come again."),
            ]),
            .text(
                """
                `done` makes the next one: due at the first moment of the series that is still to come, at the same time of \
                day in the time zone where `repeat:` was typed. The 31st comes back after a shorter month. A due that you \
                move moves all that follow.
                """),
            .text(
                """
                Two devices that complete the same one without a network make one next one. `undone` and `undo` take it back.
                """),
        ], concerns: { $0.name == "words" && $0.help.contains("due:") })
}

internal import ControllerKit
public import LineView
internal import Manual

extension HelpTopic {
    /// Notes: the editor, links, check boxes, templates and the daily note.
    public static let writing = HelpTopic(
        "writing", title: "Writing", summary: "The editor, links, check boxes, templates, today's note.",
        [
            .text(
                """
                At a terminal, `note` and `note TITLE` open your editor: the first line is the title, the text is below it. \
                An empty text adds nothing. In a script, `note TITLE` adds the note, and `note` reads the title and the text \
                from the standard input. `append` and `prepend` add text to a record; without words, they read it from the \
                standard input, too.
                """),
            .text(
                """
                `[[Garden plan]]` in a text is a link to the record with this title, with a former title of a note, or with \
                an id that begins like this. `show` names the links and the records with links to it. A link is completed by \
                Tab after `[[`.
                """),
            .text(
                """
                A terminal and the page show the text of a record as Markdown; a pipe receives it as it is. An item of a list \
                that begins with `[ ]` is a check box: `check 2 1 3` checks or clears the first and the third one of record 2.
                """),
            .terms([
                Manual.Term("list, notes", "Tasks; notes, the pinned ones first. `list task or note` shows both."),
                Manual.Term("pin, unpin", "Show a note before the others, or in its usual place."),
                Manual.Term(
                    "note --template NAME TITLE",
                    "Copies the text of the note called NAME; `{{title}}` and `{{date}}` are replaced."),
                Manual.Term("today", "Opens today's note, which has the day as its title."),
                Manual.Term("today TEXT", "Adds a line to it."),
            ]),
        ])
}

import ControllerKit
import Controllers
public import LineView
import Manual

// How one works with the program.
extension HelpTopic {
    static let prompt = HelpTopic(
        "prompt", title: "At the prompt", summary: "Keys, history, and what the prompt shows.",
        [
            .text(
                "Without a command the program is a prompt. Lines are edited with Emacs's keys, or with vi's: `bind -v` in `~/.editrc`."
            ),
            .terms([
                Manual.Term(
                    "Tab",
                    "Completes commands, options, tags, `project:` and records, these also by words of their titles."),
                Manual.Term("Ctrl-R", "Searches the history, which lasts across sessions."),
                Manual.Term("Ctrl-C", "Gives up the line, or cancels the command that is under way."),
                Manual.Term("Ctrl-D", "Leaves, as `quit` does."),
            ]),
            .text(
                """
                A prompt such as `ada offline ↑3 !1 satchel>` says: signed in as ada, the last sync failed, three records \
                aren't sent, one conflict waits.
                """),
            .text("A line that begins with a space stays out of the history, and so does any that gives a password."),
        ])

    static let scripts = HelpTopic(
        "scripts", title: "In scripts", summary: "Pipes, passwords, JSON lines.",
        [
            .text(
                """
                Data go to the standard output, messages to the standard error. From a pipe, the program reads a command a \
                line; empty lines and those that begin with `#` are skipped, and it ends with the status of the first that \
                failed.
                """),
            .text(
                """
                Passwords are asked for without echo, or come with `--password-file FILE` (`-`: the standard input), never \
                in an option of their own: others could read it.
                """),
            .text(
                """
                `satchel --view json` talks JSON lines, for programs: its first line describes all commands and what they \
                answer.
                """),
        ], concerns: { $0.kind == .secret })

    static let syncing = HelpTopic(
        "syncing", title: "Syncing", summary: "When edits are sent, and what to do about those that aren't.",
        [
            .text(
                """
                Everything works without a server. With an account, syncing happens by itself: while a prompt is open an edit \
                is sent a second later, and what other devices change appears at once; a single command leaves its edits to a \
                process in the background. `sync` does it now.
                """),
            .text(
                """
                `status` says what isn't synced, and why. What two devices have changed so that it couldn't both stay is in \
                `conflicts`, with both values, until somebody settles it with `resolve`.
                """),
        ], concerns: { $0.name == "automatic" || $0.name == "choice" })
}

extension [ExampleGroup] {
    /// The examples that Satchel's help begins with.
    public static let satchel = [
        ExampleGroup(
            "First steps",
            [
                Example("add Buy milk +shop due:tomorrow", "Add a task; no account is needed."),
                Example("list", "See what is to be done."),
                Example("done 1", "Mark the first of the list as done."),
                Example(
                    "register ada --server https://notes.example.org", "Make an account, to have all this elsewhere."),
                Example("login ada --server https://notes.example.org", "Sign in to it on another device."),
            ]),
        ExampleGroup(
            "Every day",
            [
                Example("list +shop \"due<eow\"", "What is due this week, with a tag."),
                Example("search plumb", "Find a word, anywhere."),
                Example("edit 2 due:friday priority:H", "Change the second of the list."),
                Example("show 2", "See all of it."), Example("undo", "Take back the last command."),
                Example("conflicts", "See what two devices changed at once, and couldn't both stay."),
            ]),
    ]
}

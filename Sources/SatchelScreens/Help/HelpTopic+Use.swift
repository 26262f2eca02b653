public import ControllerKit
internal import Controllers
public import LineView
internal import Manual

// Topics about working with the program.
extension HelpTopic {
    /// The keys and the history of the prompt.
    public static func prompt(of program: Program) -> HelpTopic {
        HelpTopic(
            "prompt", title: "At the prompt", summary: "Keys, history, and what the prompt shows.",
            [
                .text(
                    """
                    Without a command, the program starts a prompt. Lines are edited with the keys of Emacs, or of vi \
                    with `bind -v` in `~/.editrc`.
                    """),
                .terms([
                    Manual.Term(
                        "Tab",
                        "Completes commands, options, fields, values and records; a record also by words of its title, which is "
                            + "inserted in quotes."),
                    Manual.Term(
                        "Up, Down", "Show earlier lines; if you have typed something, only lines that contain it."),
                    Manual.Term("Ctrl-R", "Searches the history, which is kept across sessions."),
                    Manual.Term("Ctrl-C", "Discards the line, or cancels the running command."),
                    Manual.Term("Ctrl-D", "Leaves the prompt, like `quit`."),
                ]),
                .text(
                    """
                    The prompt `ada offline ↑3 !1 (house) \(program.command)>` means: signed in as ada, the last sync \
                    failed, three records are unsent, one conflict is open, and lists are limited to the context house.
                    """),
                .text(
                    """
                    A line that begins with a space is not stored in the history, nor is a line that contains a password.
                    """),
            ])
    }

    /// Pipes, passwords and JSON lines.
    public static func scripts(of program: Program) -> HelpTopic {
        HelpTopic(
            "scripts", title: "In scripts", summary: "Pipes, passwords, JSON lines.",
            [
                .text(
                    """
                    Data go to the standard output, messages to the standard error. From a pipe, the program reads one \
                    command per line. Empty lines and lines that begin with `#` are skipped. The exit code is that of \
                    the first command that failed.
                    """),
                .text(
                    """
                    Passwords are asked for without echo, or read with `--password-file FILE` (`-` is the standard \
                    input). They are never options, because other users can read the command line of a process.
                    """),
                .text(
                    """
                    `\(program.command) --view json` reads requests and writes states as JSON lines, for programs. Its \
                    first line describes all commands and their results.
                    """),
            ], concerns: { $0.kind == .secret })
    }

    /// The use by an assistant, over the Model Context Protocol.
    public static func agents(of program: Program) -> HelpTopic {
        HelpTopic(
            "agents", title: "Assistants", summary: "Letting an AI assistant use your records (MCP).",
            [
                .text(
                    """
                    `\(program.command) --view mcp` serves the host of an assistant with the Model Context Protocol, \
                    over the standard input and output. The host starts it; most hosts read a configuration such as:
                    """),
                .lines([
                    #"{ "mcpServers": { "\#(program.command)": "#
                        + #"{ "command": "\#(program.command)", "args": ["--view", "mcp"] } } }"#
                ]),
                .text(
                    """
                    With these arguments the assistant can only read: lists, searches, records, histories, conflicts \
                    and the journal. With `"args": ["--view", "mcp", "--write"]` it can also add, edit, delete \
                    and restore records. It works on the cache of your home, also without a network, and needs no \
                    app password. It has no access to accounts, passwords, devices, files, hooks, the page or \
                    `doctor`. `--home DIR` uses another home. In a home of the assistant's own, `login` accepts an \
                    app password in place of your password.
                    """),
                .terms([
                    Manual.Term("Deleting, restoring, undoing", "The host asks you first."),
                    Manual.Term("Changing several records at once", "The host asks you first."),
                    Manual.Term("A host that cannot ask", "Those calls are refused."),
                    Manual.Term("journal", "Shows who gave a command: `by mcp (NAME)`, as the host calls itself."),
                    Manual.Term("undo", "Undoes the last command, also one of the assistant."),
                ]),
                .text(
                    """
                    The assistant receives your texts only as values of the JSON of its results, separate \
                    from instructions. It may still follow instructions that it finds in them. Give it `--write` only \
                    if you check what it does.
                    """),
            ])
    }

    /// When edits are sent.
    public static let syncing = HelpTopic(
        "syncing", title: "Syncing", summary: "When edits are sent, and what to do if they aren't.",
        [
            .text(
                """
                Everything works without a server. With an account, syncing is automatic. While a prompt is open, an edit is \
                sent one second later, and changes of other devices appear at once. When a single command ends, a \
                background process sends its edits and receives changes; if the server can't be reached, it tries again for \
                two minutes. It also indexes the words of many new records. `sync` syncs now. `sync off` turns the automatic \
                sync off, `sync --background off` only the background process.
                """),
            .text(
                """
                `status` shows what isn't synced, and why. If two devices changed the same field and the changes can't be \
                merged, `conflicts` lists both values until you choose one with `resolve`.
                """),
        ])
}

extension [ExampleGroup] {
    /// The examples that Satchel's help begins with.
    public static let satchel = [
        ExampleGroup(
            "First steps",
            [
                Example("add Buy milk +shop due:tomorrow", "Add a task; no account is needed."),
                Example("list", "List the open tasks."),
                Example("done 1", "Complete the first task of the list."),
                Example(
                    "register ada --server https://notes.example.org", "Create an account, to sync with other devices."),
                Example("login ada --server https://notes.example.org", "Sign in on another device."),
            ]),
        ExampleGroup(
            "Every day",
            [
                Example("list +shop \"due<=eow\"", "Tasks with a tag that are due this week."),
                Example("search plumb", "Find a word in titles, texts, tags and projects."),
                Example("edit 2 due:friday priority:H", "Change the second record of the list."),
                Example("show 2", "Show all its fields."), Example("undo", "Undo the last command."),
                Example("conflicts", "List conflicting edits of two devices."),
            ]),
    ]
}

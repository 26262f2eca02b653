public import ControllerKit
internal import Controllers
public import LineView
internal import Manual

// Topics about the process: its status, its environment, its files.
extension HelpTopic {
    /// The user's programs that review edits or run after edits and syncs.
    public static func hooks(of program: Program) -> HelpTopic {
        HelpTopic(
            "hooks", title: "Hooks", summary: "Your own programs that review edits, or run after an edit or a sync.",
            [
                .terms([
                    Manual.Term("hooks/on-add", "Runs before new records are stored; may refuse or change them."),
                    Manual.Term(
                        "hooks/on-edit",
                        "Runs before changes and deletions are stored; may refuse them, or change records."),
                    Manual.Term("hooks/after-add", "Runs after a command that added records."),
                    Manual.Term("hooks/after-edit", "Runs after a command that changed or deleted records."),
                    Manual.Term("hooks/on-sync", "Runs after a sync that received changes, also in the background."),
                    Manual.Term(
                        "hooks/on-add-1",
                        "With a suffix there may be several; they run one after the other, by name."),
                ]),
                .text(
                    """
                    Hooks are executable files in the folder `hooks` of the home. A file or folder that other users can \
                    write is refused. A hook receives the changed records on its standard input, one JSON object per \
                    line, with the fields before the change in `previous`. It runs in the home, with the variables \
                    \(program.variable("HOME")) and \(program.variable("HOOK")) (its name), for at most 30 seconds. \
                    Its output is shown as messages.
                    """),
                .text(
                    """
                    If `on-add` or `on-edit` ends with another status than 0, nothing of the command is stored, and the \
                    message says how to repeat it with `\(program.command) --no-hooks`, which runs no hooks. A line of \
                    their output that begins with { is a record with its new fields, at most 16 MiB in all. Imports, \
                    undo and received changes aren't reviewed.
                    """),
                .text(
                    """
                    A failure of another hook is reported; the edit is stored. If a hook runs `\(program.command)`, that \
                    process runs no hooks. `doctor` names hooks that can't be run, and why.
                    """),
            ])
    }

    /// The exit codes of commands.
    public static let exitCodes = HelpTopic(
        "exit-codes", title: "Exit status", summary: "The exit codes of commands.",
        [.terms(CommandStatus.allCases.map { Manual.Term("\($0.rawValue)", $0.meaning.sentence) })])

    /// The environment variables of a client.
    public static func environment(of program: Program) -> HelpTopic {
        HelpTopic(
            "environment", title: "Environment", summary: "The environment variables that are used.",
            [
                .terms([
                    Manual.Term(program.variable("HOME"), "The home directory; `--home` takes precedence."),
                    Manual.Term(
                        "XDG_DATA_HOME",
                        "Otherwise the home is `\(program.command)` in this directory; default `~/.local/share`."),
                    Manual.Term(
                        program.variable("CONFIG"),
                        "The configuration file, see `help settings`; empty: none. `--config` takes precedence."),
                    Manual.Term(
                        "XDG_CONFIG_HOME",
                        "Otherwise the file is `\(program.command)/config.toml` in this directory; default `~/.config`."
                    ),
                    Manual.Term(
                        program.variable("SYNC"), "`manual`: sync only when `sync` is run; for scripts and tests."),
                    Manual.Term(
                        program.variable("POLL_SECONDS"),
                        "How often an open session polls a server without an event stream; default 60."),
                    Manual.Term(
                        program.variable("CA_FILE"),
                        "Certificates to trust instead of the system's, in PEM; `--ca-file` takes precedence."),
                    Manual.Term(
                        program.variable("INSECURE_HTTP"),
                        "`1`: `register` and `login` accept a server without encryption, as with `--insecure-http`."),
                    Manual.Term("TZ", "The time zone: a name such as `Europe/Berlin`, or an offset such as `<+03>-3`."),
                    Manual.Term("NO_COLOR", "Any value turns colour off."),
                    Manual.Term("PAGER", "The program that shows long texts; `cat` or an empty value for none."),
                    Manual.Term("VISUAL, EDITOR", "Your editor; default `vi`."),
                    Manual.Term("TERM", "`dumb`: lines are read without editing."),
                    Manual.Term(
                        "https_proxy, no_proxy",
                        "The proxy, also `http_proxy`. A server on this machine is reached without a proxy."),
                ])
            ])
    }

    /// The files in the home of a client.
    public static func files(of program: Program) -> HelpTopic {
        HelpTopic(
            "files", title: "Files", summary: "The files in the home directory.",
            [
                .text(
                    """
                    All files except `~/.editrc` and the configuration file are in one directory, the home; by default \
                    `~/.local/share/\(program.command)`. Only you can read the files that the program creates (mode \
                    0600).
                    """),
                .terms([
                    Manual.Term(program.cacheFile, "The cache: records and unsent edits (SQLite)."),
                    Manual.Term("session.json", "The session, with its tokens unless `credential-command` is set."),
                    Manual.Term("history", "The lines typed at the prompt."),
                    Manual.Term("drafts", "Texts that are open in your editor."),
                    Manual.Term("prompt.json, page.txt", "The screens that were open last."),
                    Manual.Term("page", "Files that open the browser."),
                    Manual.Term("hooks", "Your own programs, see `help hooks`."),
                    Manual.Term(
                        "~/.config/\(program.command)/config.toml", "Your settings, see `help settings`."),
                    Manual.Term("~/.editrc", "Configures line editing, see `editrc(5)`."),
                ]),
            ])
    }
}

extension String {
    /// The text as a sentence, with a capital letter and a full stop.
    var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}

import ControllerKit
import Controllers
import LineView
import Manual

// Topics about the process: its status, its environment, its files.
extension HelpTopic {
    static let hooks = HelpTopic(
        "hooks", title: "Hooks", summary: "Your own programs that run after an edit or a sync.",
        [
            .terms([
                Manual.Term("hooks/on-add", "Runs after a command that added records."),
                Manual.Term("hooks/on-edit", "Runs after a command that changed or deleted records."),
                Manual.Term("hooks/on-sync", "Runs after a sync that received changes, also in the background."),
                Manual.Term(
                    "hooks/on-add-notify", "With a suffix there may be several; they run one after the other, by name."),
            ]),
            .text(
                """
                Hooks are executable files in the folder `hooks` of the home, which other users can't write. A hook receives \
                the changed records on its standard input, one JSON object per line, with the fields before the change in \
                `previous`. It runs in the home, with the variables SATCHEL_HOME and SATCHEL_HOOK (its name), for at most 30 \
                seconds. Its output is shown as messages.
                """),
            .text(
                """
                A hook runs after the edit is stored, so it can't prevent or change it. A failure is reported. If a hook \
                runs `satchel`, that process runs no hooks. `doctor` names hooks that can't be run, and why.
                """),
        ])

    static let exitCodes = HelpTopic(
        "exit-codes", title: "Exit status", summary: "The exit codes of commands.",
        [.terms(CommandStatus.allCases.map { Manual.Term("\($0.rawValue)", $0.meaning.sentence) })])

    static let environment = HelpTopic(
        "environment", title: "Environment", summary: "The environment variables that are used.",
        [
            .terms([
                Manual.Term("SATCHEL_HOME", "The home directory; `--home` takes precedence."),
                Manual.Term(
                    "XDG_DATA_HOME", "Otherwise the home is `satchel` in this directory; default `~/.local/share`."),
                Manual.Term(
                    "SATCHEL_SYNC", "`manual`: sync only when `sync` is run; for scripts and tests."),
                Manual.Term(
                    "SATCHEL_POLL_SECONDS",
                    "How often an open session polls a server without an event stream; default 60."),
                Manual.Term(
                    "SATCHEL_CA_FILE",
                    "Certificates to trust instead of the system's, in PEM; `--ca-file` takes precedence."),
                Manual.Term(
                    "SATCHEL_INSECURE_HTTP",
                    "`1`: `register` and `login` accept a server without encryption, as with `--insecure-http`."),
                Manual.Term("NO_COLOR", "Any value turns colour off."),
                Manual.Term("PAGER", "The program that shows long texts; `cat` or an empty value for none."),
                Manual.Term("VISUAL, EDITOR", "Your editor; default `vi`."),
                Manual.Term("TERM", "`dumb`: lines are read without editing."),
                Manual.Term(
                    "https_proxy, no_proxy",
                    "The proxy, also `http_proxy`. A server on this machine is reached without a proxy."),
            ])
        ])

    static let files = HelpTopic(
        "files", title: "Files", summary: "The files in the home directory.",
        [
            .text(
                "All files are in one directory, the home; by default `~/.local/share/satchel`. Only you can read them (mode 0600)."
            ),
            .terms([
                Manual.Term("satchel.db", "The cache: records and unsent edits (SQLite)."),
                Manual.Term("session.json", "The session's tokens."),
                Manual.Term("history", "The lines typed at the prompt."),
                Manual.Term("~/.editrc", "Configures line editing, see `editrc(5)`."),
            ]),
        ])
}

extension String {
    /// The text as a sentence, with a capital letter and a full stop.
    fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}

import ControllerKit
import Controllers
import LineView
import Manual

// What surrounds a process: its status, its environment, its files.
extension HelpTopic {
    static let hooks = HelpTopic(
        "hooks", title: "Hooks", summary: "Programs of yours that run after an edit or a sync.",
        [
            .terms([
                Manual.Term("hooks/on-add", "Runs after a command that added records."),
                Manual.Term("hooks/on-edit", "After one that changed or deleted some."),
                Manual.Term("hooks/on-sync", "After a sync that brought something, in the background, too."),
                Manual.Term("hooks/on-add-notify", "Any suffix: one after the other, in the order of names."),
            ]),
            .text(
                """
                They are in the home's folder `hooks`, executable, and nobody else may write them. Each gets the changed \
                records on its standard input, as a line of JSON each, with the fields before (`previous`), runs in the home \
                with SATCHEL_HOME and its own name in SATCHEL_HOOK, and has 30 seconds; what it prints comes as messages.
                """),
            .text(
                """
                A hook can't stop or change an edit, which is stored already; if it fails, you are told. A `satchel` that a \
                hook calls runs no hooks. `doctor` tells which aren't run, and why.
                """),
        ])

    static let exitCodes = HelpTopic(
        "exit-codes", title: "Exit status", summary: "How a command ended, for scripts.",
        [.terms(CommandStatus.allCases.map { Manual.Term("\($0.rawValue)", $0.meaning.sentence) })])

    static let environment = HelpTopic(
        "environment", title: "Environment", summary: "Variables that are looked at.",
        [
            .terms([
                Manual.Term("SATCHEL_HOME", "The directory that everything is kept in; `--home` goes before it."),
                Manual.Term("XDG_DATA_HOME", "Where `satchel` is that directory, else; by itself `~/.local/share`."),
                Manual.Term(
                    "SATCHEL_SYNC", "`manual`: sync only when `sync` is run. For scripts and tests."),
                Manual.Term(
                    "SATCHEL_POLL_SECONDS",
                    "How often an open session asks a server that doesn't tell of changes by itself; 60 unless set."),
                Manual.Term(
                    "SATCHEL_CA_FILE",
                    "Certificates to trust in place of the system's, in PEM; `--ca-file` goes before it."),
                Manual.Term(
                    "SATCHEL_INSECURE_HTTP",
                    "`1`: `register` and `login` accept a server without encryption, as with `--insecure-http`."),
                Manual.Term("NO_COLOR", "Set to anything: no colour."),
                Manual.Term("PAGER", "What shows a text that is longer than the screen; `cat` or nothing for none."),
                Manual.Term("VISUAL, EDITOR", "Your editor; else `vi`."),
                Manual.Term("TERM", "`dumb`: lines are read without editing."),
                Manual.Term(
                    "https_proxy, no_proxy",
                    "As usual; `http_proxy`, too. A server on this machine is reached without a proxy."),
            ])
        ])

    static let files = HelpTopic(
        "files", title: "Files", summary: "What is kept where.",
        [
            .text("All in one directory, the home, for you alone (mode 0600); by itself `~/.local/share/satchel`."),
            .terms([
                Manual.Term("satchel.db", "The cache: records, and edits that wait to be sent (SQLite)."),
                Manual.Term("session.json", "The session's tokens."),
                Manual.Term("history", "What was typed at the prompt."),
                Manual.Term("~/.editrc", "How lines are edited, see `editrc(5)`."),
            ]),
        ])
}

extension String {
    /// With a capital letter and a full stop.
    fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}

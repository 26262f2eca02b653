public import ControllerKit
internal import Controllers
public import LineView
internal import Manual

extension HelpTopic {
    /// The configuration file and its settings.
    public static func settings(of program: Program) -> HelpTopic {
        let variable = Setting.named("week-start")?.variable(of: program) ?? ""
        return HelpTopic(
            "settings", title: "Settings", summary: "The configuration file, aliases and defaults.",
            [
                .text(
                    """
                    Settings are in a file in TOML (toml.io): `--config FILE`, else \(program.variable("CONFIG")), else \
                    `\(program.command)/config.toml` in $XDG_CONFIG_HOME, by default `~/.config`. `config` shows each \
                    setting, and the line or the variable from which it comes.
                    """),
                .terms(Setting.all.map { Manual.Term($0.name, "\($0.help) Values: \($0.values).") }),
                .lines([
                    "week-start = \"monday\"", "default-list = \"sort:-created\"", "[aliases]",
                    "edited = \"list sort:-edited\"",
                ]),
                .text(
                    """
                    Except for aliases, a variable takes precedence over the file: `\(variable)`. An alias can't have \
                    the name of a command. It may begin with another alias, and works at the prompt, as a single \
                    command and in scripts; JSON lines, the page and assistants have the commands themselves.
                    """),
                .text(
                    """
                    An unknown setting or a wrong value stops every command except `config` and `help` before it \
                    does anything, with the origin and the reason. An empty \(program.variable("CONFIG")) ignores the \
                    file.
                    """),
                .text(
                    """
                    The program of `credential-command` is called with `get`, `store` or `erase` as its last argument, and \
                    with lines `key=value` (protocol, host, path, username; for `store` also password) on its standard \
                    input, as git's credential helpers are. For `get` it prints the line `password=…`, or nothing. It may \
                    take 60 seconds.
                    """),
            ])
    }
}

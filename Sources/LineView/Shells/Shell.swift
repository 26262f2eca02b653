import ControllerKit

/// A shell that can complete a program's commands. New cases may be added.
public enum Shell: String, CaseIterable, Sendable {
    /// GNU Bash, 4.4 or newer.
    case bash
    /// The Z shell, 5.0 or newer.
    case zsh
    /// The friendly interactive shell, 3.0 or newer.
    case fish

    /// Returns the instruction to install the script.
    func installation(of command: String) -> String {
        switch self {
        case .bash: "In `~/.bashrc`: `source <(\(command) completions bash)`."
        case .zsh: "In `~/.zshrc`, after `compinit`: `source <(\(command) completions zsh)`."
        case .fish: "Once: `\(command) completions fish > ~/.config/fish/completions/\(command).fish`."
        }
    }
}

extension Shell {
    /// Returns a completion in the form for the shell; nil: it can't be represented.
    ///
    /// zsh and fish expect the whole word and quote it themselves. Bash replaces only the last part of the word at its
    /// word breaks, or the text after an open quote, and inserts the reply unchanged.
    func reply(_ text: String, completing line: ShellLine) -> String? {
        // The scripts read one completion per line, with a tab before the note: a control character would split it.
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return nil }
        switch self {
        case .zsh, .fish: return text
        case .bash:
            guard text.hasPrefix(line.kept) else { return nil }
            return Self.escaped(text.dropFirst(line.kept.count), within: line.quote)
        }
    }

    private static func escaped(_ text: Substring, within quote: Character?) -> String {
        // Everything that Bash interprets is escaped: a tag from another device must not become shell code.
        switch quote {
        case "'"?: String(text).replacing("'", with: "'\\''")
        case .some: escaped(text, ["\"", "\\", "$", "`"])
        case nil: escaped(text, Array(" \t\\\"'`$&|;()<>*?[]#~!{}"))
        }
    }

    private static func escaped(_ text: Substring, _ special: [Character]) -> String {
        text.reduce(into: "") { escaped, character in
            if special.contains(character) { escaped += "\\" }
            escaped.append(character)
        }
    }
}

extension Shell {
    /// Returns a script that makes the shell complete a program's commands. It runs the program for each completion
    /// (`--complete`), so that tags, projects and records are current.
    ///
    /// - Parameter command: The name of the executable.
    public func script(of command: String) -> String {
        let template =
            switch self {
            case .bash: Self.bashScript
            case .zsh: Self.zshScript
            case .fish: Self.fishScript
            }
        // The portable names of shell functions have only letters, digits and underscores.
        let function = String(command.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return template.replacing("_COMMAND", with: "_" + function).replacing("COMMAND", with: command)
    }

    private static let bashScript = #"""
        # Completes COMMAND's commands in Bash: source <(COMMAND completions bash)
        # shellcheck shell=bash
        _COMMAND() {
            local kind text note
            local -i index
            local -a notes=()
            COMPREPLY=()
            {
                read -r kind
                while IFS=$'\t' read -r text note; do
                    COMPREPLY+=("$text")
                    notes+=("$note")
                done
            } < <("$1" --complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
            if [[ $kind == files ]]; then
                compopt -o default
            elif ((${#COMPREPLY[@]} == 1)); then
                # More of the word may follow.
                [[ ${COMPREPLY[0]} != *[:/=] ]] || compopt -o nospace
            elif [[ $COMP_TYPE != 37 ]]; then
                # They are listed, not inserted.
                for index in "${!notes[@]}"; do
                    COMPREPLY[index]+=${notes[index]:+  (${notes[index]})}
                done
            fi
        }
        complete -o nosort -F _COMMAND COMMAND
        """#

    private static let zshScript = #"""
        #compdef COMMAND
        # Completes COMMAND's commands in zsh: source <(COMMAND completions zsh)
        _COMMAND() {
            local kind text note
            local -a open texts labels layout
            local line="${(j: :)words[1,CURRENT-1]} $QIPREFIX$IPREFIX$PREFIX"
            {
                read -r kind
                while IFS=$'\t' read -r text note; do
                    if [[ $text == *[:/=] ]]; then
                        open+=("$text")
                    else
                        texts+=("$text")
                        labels+=("$text${note:+  ($note)}")
                        layout=(${note:+-l})
                    fi
                done
            } < <("${(Q)words[1]}" --complete zsh "$line" 2>/dev/null)
            if [[ $kind == files ]]; then
                compset -P '--*='
                _files
                return
            fi
            # The words fit already, also where they don't begin as the typed one does.
            ((${#open})) && compadd -U -S '' -a open
            ((${#texts})) && compadd -U -V COMMAND $layout -d labels -a texts
            ((${#open} + ${#texts}))
        }
        if [[ ${funcstack[1]} == _COMMAND ]]; then
            _COMMAND "$@"
        else
            compdef _COMMAND COMMAND
        fi
        """#

    private static let fishScript = #"""
        # Completes COMMAND's commands in fish: COMMAND completions fish > ~/.config/fish/completions/COMMAND.fish
        function __COMMAND_complete
            set -l answer (COMMAND --complete fish (commandline -cp | string collect) 2>/dev/null)
            if test "$answer[1]" = files
                set -l word (commandline -ct)
                set -l option (string match -r -- '^--[^=]*=' $word)
                string join \n -- "$option"(__fish_complete_path (string replace -r -- '^--[^=]*=' '' $word))
            else
                string join \n -- $answer[2..]
            end
        end
        complete -c COMMAND -f -k -a '(__COMMAND_complete)'
        """#
}

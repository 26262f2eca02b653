extension Shell {
    /// What makes the shell complete the program's commands: it asks `satchel --complete` each time, so that tags, projects
    /// and records are those that are there.
    public var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    private static let bashScript = #"""
        # Completes satchel's commands in Bash: source <(satchel completions bash)
        # shellcheck shell=bash
        _satchel() {
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
        complete -o nosort -F _satchel satchel
        """#

    private static let zshScript = #"""
        #compdef satchel
        # Completes satchel's commands in zsh: source <(satchel completions zsh)
        _satchel() {
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
            ((${#texts})) && compadd -U -V satchel $layout -d labels -a texts
            ((${#open} + ${#texts}))
        }
        if [[ ${funcstack[1]} == _satchel ]]; then
            _satchel "$@"
        else
            compdef _satchel satchel
        fi
        """#

    private static let fishScript = #"""
        # Completes satchel's commands in fish: satchel completions fish > ~/.config/fish/completions/satchel.fish
        function __satchel_complete
            set -l answer (satchel --complete fish (commandline -cp | string collect) 2>/dev/null)
            if test "$answer[1]" = files
                set -l word (commandline -ct)
                set -l option (string match -r -- '^--[^=]*=' $word)
                string join \n -- "$option"(__fish_complete_path (string replace -r -- '^--[^=]*=' '' $word))
            else
                string join \n -- $answer[2..]
            end
        end
        complete -c satchel -f -k -a '(__satchel_complete)'
        """#
}

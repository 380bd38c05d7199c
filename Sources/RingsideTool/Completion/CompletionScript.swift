internal import Arguments

/// The script of a shell. It hands the words of the command line to `ringside __complete`. The answer has one candidate
/// a line, followed by a tab and its description.
enum CompletionScript: String, CaseIterable, Sendable {
    case bash, zsh, fish

    var text: String {
        switch self {
        case .bash: Self.bashText
        case .zsh: Self.zshText
        case .fish: Self.fishText
        }
    }

    // A candidate that ends in a slash is a folder. The path goes on after it, so no blank follows.
    private static let bashText = #"""
        # Completion of ringside for bash.
        _ringside() {
            local line
            COMPREPLY=()
            while IFS= read -r line; do
                COMPREPLY+=("${line%%$'\t'*}")
            done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
            if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then compopt -o nospace 2>/dev/null; fi
            return 0
        }
        complete -F _ringside ringside

        """#

    private static let zshText = #"""
        #compdef ringside
        # Completion of ringside for zsh.
        _ringside() {
            local line
            local -a candidates folders
            while IFS= read -r line; do
                if [[ ${line%%$'\t'*} == */ ]]; then
                    folders+=("${line%%$'\t'*}")
                elif [[ $line == *$'\t'* ]]; then
                    candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
                else
                    candidates+=("${line//:/\\:}")
                fi
            done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
            (( ${#candidates} )) && _describe ringside candidates
            (( ${#folders} )) && compadd -S '' -- "${folders[@]}"
            return 0
        }
        if [[ ${funcstack[1]} == _ringside ]]; then _ringside "$@"; else compdef _ringside ringside; fi

        """#

    private static let fishText = #"""
        # Completion of ringside for fish.
        complete -c ringside -f -a '(ringside __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'

        """#
}

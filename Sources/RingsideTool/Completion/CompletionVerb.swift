internal import Arguments

struct CompletionOptions: Sendable {
    var shell = CompletionScript.bash
}

/// `ringside completion`: prints the script by which a shell completes the command line of `ringside`.
enum CompletionVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside completion", summary: "Prints the script by which bash, zsh or fish completes the command line.",
        details: """
            The script asks ringside itself at each Tab, so it fits every version: verbs, options and their values, bots, \
            lanes and metrics of the rings that there are (RINGSIDE_DIR and --ring-dir are obeyed), and files.
            """,
        defaults: CompletionOptions(),
        operands: [.one("SHELL", \.shell, .choice, help: "bash, zsh or fish")],
        examples: [
            Example("For this bash", "source <(ringside completion bash)"),
            Example(
                "For every bash from now on",
                "ringside completion bash > ~/.local/share/bash-completion/completions/ringside"),
            Example("For zsh, in a folder of $fpath", "ringside completion zsh > ~/.zfunc/_ringside"),
            Example("For fish", "ringside completion fish > ~/.config/fish/completions/ringside.fish"),
        ])

    private static func run(_ options: CompletionOptions) throws -> Int32 {
        try Terminal.output(options.shell.text)
        return 0
    }
}

/// A command: what it is called, what it does, and the options that it takes.
///
/// ```swift
/// struct DemoOptions { var bots = 1; var ratePerSecond = 1000.0; var rings: [String] = [] }
///
/// let command = Command(
///     "ringside-demo", summary: "Runs bots that record made-up trading.", defaults: DemoOptions(),
///     options: [
///         .value("bots", letter: "b", "N", \.bots, .integer(in: 1...64), help: "Bots to run"),
///         .value("rate", "EVENTS_PER_SECOND", \.ratePerSecond, .number(in: 0...), help: "Events of one bot"),
///     ],
///     examples: [Example("Three bots for a minute", "ringside-demo --bots 3 --duration 1m")])
/// let options = command.parseOrExit()
/// ```
///
/// `--help` and `--version` are there without being declared.
package struct Command<Options: Sendable>: Sendable {
    let name: String
    let summary: String
    let details: String
    let defaults: Options
    let options: [Option<Options>]
    let operands: [Operand<Options>]
    let examples: [Example]

    /// - Parameters:
    ///   - name: As it is typed, with the verb where there is one: `ringside list`.
    ///   - summary: One sentence, which a list of verbs shows too.
    ///   - details: Paragraphs below the options, such as the environment variables obeyed.
    ///   - defaults: What the options are where nothing is said; the help shows them.
    package init(
        _ name: String, summary: String, details: String = "", defaults: Options, options: [Option<Options>] = [],
        operands: [Operand<Options>] = [], examples: [Example] = []
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.defaults = defaults
        self.options = options
        self.operands = operands
        self.examples = examples
    }

    /// Reads a command line without doing anything else.
    ///
    /// - Parameter arguments: All arguments, the command's own name first.
    /// - Returns: The options to run with, or the text that `--help` or `--version` asked for.
    package func parse(_ arguments: [String]) throws(UsageError) -> Invocation<Options> {
        let names = options.map { ScannedName(name: $0.name, letter: $0.letter, takesArgument: $0.placeholder != nil) }
        let found: ScannedArguments
        do {
            found = try scan(arguments, names: names + standardNames, stopsAtOperand: false)
        } catch {
            throw UsageError(error.problem, command: name)
        }
        if found.options.contains(where: { $0.index == options.count }) { return .show(help) }
        if found.options.contains(where: { $0.index > options.count }) { return .show("\(name) \(Release.version)\n") }
        var values = defaults
        for (index, argument) in found.options {
            guard let expected = options[index].apply(&values, argument) else { continue }
            throw UsageError("--\(options[index].name) '\(argument)': expected \(expected)", command: name)
        }
        try apply(found.operands, to: &values)
        return .run(values)
    }

    private func apply(_ texts: [String], to values: inout Options) throws(UsageError) {
        var waiting = operands[...]
        var isRepeating = false
        for text in texts {
            guard let operand = waiting.first else { throw UsageError("unexpected '\(text)'", command: name) }
            if let expected = operand.apply(&values, text) {
                throw UsageError("\(operand.placeholder) '\(text)': expected \(expected)", command: name)
            }
            isRepeating = operand.isRepeated
            if !isRepeating { waiting.removeFirst() }
        }
        if let missing = waiting.first, missing.isRequired, !isRepeating {
            throw UsageError("\(missing.placeholder) is missing", command: name)
        }
    }
}

/// What a command line asks for.
package enum Invocation<Options: Sendable>: Sendable {
    case run(Options)
    /// A text for standard output, after which the command exits with status 0.
    case show(String)
}

/// A command line worth showing, and what it is good for.
package struct Example: Sendable {
    let purpose: String
    let line: String

    package init(_ purpose: String, _ line: String) {
        self.purpose = purpose
        self.line = line
    }
}

/// What every command understands, after its own options.
let standardNames = [
    ScannedName(name: "help", letter: "h", takesArgument: false),
    ScannedName(name: "version", letter: nil, takesArgument: false),
]

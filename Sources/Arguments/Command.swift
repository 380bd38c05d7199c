/// A command: its name, its purpose and its options.
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
/// `--help` and `--version` need no declaration.
package struct Command<Options: Sendable>: Sendable {
    let name: String
    let summary: String
    let details: String
    let defaults: Options
    let options: [Option<Options>]
    let operands: [Operand<Options>]
    let examples: [Example]
    let conflict: @Sendable (Options) -> String?

    /// - Parameters:
    ///   - name: The name as typed, including a verb: `ringside list`.
    ///   - summary: One sentence, also shown in the list of verbs.
    ///   - details: Paragraphs below the options, for example about environment variables.
    ///   - defaults: The option values of an empty command line. The help shows them.
    ///   - conflict: Returns the reason why the combination of options and operands is wrong; nil if it is not.
    package init(
        _ name: String, summary: String, details: String = "", defaults: Options, options: [Option<Options>] = [],
        operands: [Operand<Options>] = [], examples: [Example] = [],
        conflict: @escaping @Sendable (Options) -> String? = { _ in nil }
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.defaults = defaults
        self.options = options
        self.operands = operands
        self.examples = examples
        self.conflict = conflict
    }

    /// Parses a command line, without any other effect.
    ///
    /// - Parameter arguments: All arguments, beginning with the command's own name.
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
        if let conflict = conflict(values) { throw UsageError(conflict, command: name) }
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

/// The result of parsing a command line.
package enum Invocation<Options: Sendable>: Sendable {
    case run(Options)
    /// A text for standard output, after which the command exits with status 0.
    case show(String)
}

/// An example command line, and its purpose.
package struct Example: Sendable {
    let purpose: String
    let line: String

    package init(_ purpose: String, _ line: String) {
        self.purpose = purpose
        self.line = line
    }
}

/// Options that every command accepts, listed after its own.
let standardNames = [
    ScannedName(name: "help", letter: "h", takesArgument: false),
    ScannedName(name: "version", letter: nil, takesArgument: false),
]

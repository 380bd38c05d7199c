import Glibc
import Spelling

/// One verb of a command, such as `list` of `ringside list`. Its options have a type of their own.
package struct Verb: Sendable {
    let name: String
    let summary: String
    let run: @Sendable ([String]) -> Int32
    let candidates: @Sendable ([String], (ValueKind, String) -> [String]) -> [Candidate]

    /// - Parameters:
    ///   - command: The command, named as typed. The last word is the verb: `ringside list`.
    ///   - body: Does the work and returns the exit status. An error that it throws goes to standard error, with status
    ///     1.
    package init<Options>(_ command: Command<Options>, _ body: @escaping @Sendable (Options) throws -> Int32) {
        name = command.name.split(separator: " ").last.map(String.init) ?? ""
        summary = command.summary
        run = { command.run($0, body) }
        candidates = { command.candidates($0, names: $1) }
    }
}

/// A command of several verbs.
package struct VerbTable: Sendable {
    let name: String
    let summary: String
    let verbs: [Verb]
    let examples: [Example]

    package init(_ name: String, summary: String, verbs: [Verb], examples: [Example] = []) {
        self.name = name
        self.summary = summary
        self.verbs = verbs
        self.examples = examples
    }

    /// The text of `--help`: the verbs, each with its summary.
    package var help: String {
        "Usage: \(name) VERB [OPTION]...\n" + wrapped(summary, indent: 0)
            + section("Verbs", verbs.map { ($0.name, $0.summary) }) + section("Options", standardEntries)
            + "\n" + wrapped("'\(name) VERB --help', or '\(name) help VERB', shows the options of a verb.", indent: 0)
            + exampleSection(examples)
    }

    /// Returns the verb and its own arguments, preceded by the full name such as `ringside list`.
    func find(_ arguments: [String]) throws(UsageError) -> Invocation<(verb: Verb, arguments: [String])> {
        let found: ScannedArguments
        do {
            found = try scan(arguments, names: standardNames, stopsAtOperand: true)
        } catch {
            throw UsageError(error.problem, command: name)
        }
        if let option = found.options.first {
            return .show(option.index == 0 ? help : "\(name) \(Release.version)\n")
        }
        guard let word = found.operands.first else { throw UsageError("a verb is missing", command: name) }
        if word == "help" {
            guard let topic = found.operands.dropFirst().first, !["--help", "-h"].contains(topic) else {
                return .show(help)
            }
            return .run((try verb(topic), ["\(name) \(topic)", "--help"]))
        }
        let verb = try verb(word)
        return .run((verb, ["\(name) \(word)"] + found.operands.dropFirst()))
    }

    private func verb(_ word: String) throws(UsageError) -> Verb {
        if let verb = verbs.first(where: { $0.name == word }) { return verb }
        let near = word.nearest(among: verbs.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
        throw UsageError("unknown verb '\(word)'\(near)", command: name)
    }

    /// Runs the verb that the command line names and returns the exit status: 0 done, 1 failed, 2 wrong usage.
    package func run(_ arguments: [String] = CommandLine.arguments) -> Int32 {
        do {
            switch try find(arguments) {
            case .show(let text): return show(text)
            case .run(let (verb, own)): return verb.run(own)
            }
        } catch {
            return complain(error.description, status: 2)
        }
    }
}

extension Command {
    /// Parses the command line, does the work and returns the exit status: 0 done, 1 failed, 2 wrong usage.
    package func run(_ arguments: [String], _ body: (Options) throws -> Int32) -> Int32 {
        do {
            switch try parse(arguments) {
            case .show(let text): return show(text)
            case .run(let options): return runBody { try body(options) }
            }
        } catch {
            return complain(error.description, status: 2)
        }
    }

    /// Returns the options. For `--help`, `--version` and wrong usage, prints the text and ends the process.
    package func parseOrExit(_ arguments: [String] = CommandLine.arguments) -> Options {
        do {
            switch try parse(arguments) {
            case .show(let text): exit(show(text))
            case .run(let options): return options
            }
        } catch {
            exit(complain(error.description, status: 2))
        }
    }

    private func runBody(_ body: () throws -> Int32) -> Int32 {
        do {
            return try body()
        } catch {
            return complain("\(name): \(error)", status: 1)
        }
    }
}

private func show(_ text: String) -> Int32 {
    Terminal.write(text) ? 0 : 1
}

private func complain(_ line: String, status: Int32) -> Int32 {
    Terminal.report(line)
    return status
}

import FoundationEssentials
import Ringside
import TestSupport
import Testing

/// Tests the completion of `ringside` in the shells themselves.
@Suite struct CompletionTests {
    private let directory = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory(under: "/tmp")

    /// Runs a program of a shell that has loaded its script, in a folder with two files, and returns the lines that it prints.
    private func run(_ shell: String, _ program: String) throws -> [String] {
        let tool = ChildProcess.builtProgram("ringside")
        let script = try Tool.run("completion", shell)
        #expect(script.exit == .code(0))
        let path = "\(folder.path)/script.\(shell)"
        try Data(script.output.utf8).write(to: URL(filePath: path))
        let bin = URL(filePath: tool).deletingLastPathComponent().path
        let child = try ChildProcess(
            ["/usr/bin/env", shell] + (shell == "bash" ? ["--norc"] : shell == "zsh" ? ["-f"] : ["--no-config"])
                + ["-c", "cd \(folder.path); export PATH=\(bin):$PATH\n" + program.replacing("SCRIPT", with: path)],
            environment: ["RINGSIDE_DIR": directory.path])
        #expect(try child.wait() == .code(0))
        return child.standardOutput.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
    }

    private func complete(_ shell: String, _ words: [String]) throws -> [String] {
        let quoted = words.map { "'\($0)'" }.joined(separator: " ")
        switch shell {
        case "bash":
            return try run(
                shell,
                """
                source SCRIPT
                COMP_WORDS=(ringside \(quoted)); COMP_CWORD=\(words.count); _ringside
                printf '%s\\n' "${COMPREPLY[@]}"
                """
            )
        case "zsh":
            // These are the functions of zsh's own system that the script calls. Here they print their arguments.
            return try run(
                shell,
                """
                compdef() { :; }
                _describe() { print -rl -- "${(@)${(P@)2}%%:*}"; }
                compadd() { shift 3; print -rl -- "$@"; }
                source SCRIPT
                words=(ringside \(quoted)); CURRENT=\(words.count + 1); _ringside
                """)
        default:
            return try run(shell, "source SCRIPT; complete -C \"ringside \(words.joined(separator: " "))\"")
        }
    }

    @Test(
        "verbs, options, values, rings, bots, metrics and files are completed in each shell",
        arguments: ["bash", "zsh", "fish"])
    func shells(shell: String) throws {
        try withTradingRing("alpha", in: directory)
        try withTradingRing("alpha.md", in: directory)
        try withTradingRing("beta", in: directory)
        try Data().write(to: URL(filePath: "\(folder.path)/incident.capture"))
        try FileManager.default.createDirectory(atPath: "\(folder.path)/inner", withIntermediateDirectories: false)
        let expected: [([String], [String])] = [
            (["co"], ["control", "completion"]), (["dump", "al"], ["alpha", "alpha.md"]),
            (["history", "--bot", ""], ["alpha", "beta"]), (["list", "--format", "j"], ["json"]),
            (["control", "beta", "--metric", "de"], ["decide_seconds"]),
            (["dump", "in"], ["incident.capture", "inner/"]),
            (["sweep", "--ring-dir", "i"], ["inner/"]), (["list", "--ring"], ["--ring-dir"]),
            (["list", "--ring-dir", "inner", "--format", "t"], ["text"]),
            (["dump", "--ring-dir", "inner", "al"], []),
        ]
        for (words, candidates) in expected {
            let found = try complete(shell, words)
            #expect(Set(found) == Set(candidates), "\(words): \(found)")
        }
    }

    @Test("a shell that is not known is refused, and the three are named")
    func unknown() throws {
        let tool = try Tool.run("completion", "tcsh")
        #expect(tool.exit == .code(2) && tool.errors.contains("expected one of bash, zsh, fish"))
        #expect(try Tool.run("completion").exit == .code(2))
    }

    @Test("what a shell hands over is answered without an error, whatever it is")
    func hostile() throws {
        for words in [
            [], [""], ["nosuch"], ["dump", "\u{1B}[31m"], ["dump", "--ring-dir", "/nosuch", ""], ["=", "=", "="],
        ] {
            let tool = try Tool.run(["__complete"] + words)
            #expect(tool.exit == .code(0) && tool.errors == "")
        }
    }
}

import TestSupport

/// A terminal in which a command runs, as a person sees it (tmux). It ends with the test, and its commands must end by
/// themselves in case the test is ended first.
final class TerminalWindow {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var socket: String { folder.path + "/tmux" }
    private var statusFile: String { folder.path + "/status" }

    /// - Parameters:
    ///   - command: A path and its arguments, of which none has a quote.
    ///   - environment: Variables that are set for the command.
    init(_ command: [String], columns: Int, rows: Int, environment: [String: String] = [:]) throws {
        let words = command.map { "'\($0)'" }.joined(separator: " ")
        let variables = environment.flatMap { ["-e", "\($0.key)=\($0.value)"] }
        try tmux(
            ["new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"] + variables
                + ["\(words); echo \"status $?\" > '\(statusFile)'"])
    }

    deinit { _ = try? tmux(["kill-server"]) }

    /// What is on the screen, a line a row.
    var text: String { (try? tmux(["capture-pane", "-p"])) ?? "" }

    /// Presses keys, named as tmux names them: `q`, `Down`, `C-c`.
    func press(_ keys: String...) throws { try tmux(["send-keys"] + keys) }

    func resize(columns: Int, rows: Int) throws {
        try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// Waits until the screen is as wanted.
    func wait(for what: String, _ condition: (String) -> Bool) throws {
        try Watchdog.wait(for: "\(what); the screen is:\n\(text)") { condition(text) }
    }

    /// Waits for the end of the command, and returns its exit status.
    func status() throws -> String {
        var status = ""
        try Watchdog.wait(for: "the end of the command; the screen is:\n\(text)") {
            status = String(decoding: RingFile(statusFile).bytes(), as: UTF8.self)
            return status.hasSuffix("\n")
        }
        return String(status.dropLast())
    }

    @discardableResult
    private func tmux(_ arguments: [String]) throws -> String {
        let child = try ChildProcess(["tmux", "-u", "-S", socket, "-f", "/dev/null"] + arguments)
        _ = try child.wait()
        return child.standardOutput
    }
}

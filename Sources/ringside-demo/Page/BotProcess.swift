import Arguments
internal import Glibc

/// The process in which the bots run while a page has buttons for them.
///
/// Bots are threads of one process, so a crash of one is a crash of all, and a signal that stops one stops all. A
/// process of its own makes both real: it is killed by SIGKILL and started again with its rings, or stopped by SIGSTOP,
/// while the page is still there to be pressed. It gets its orders on standard input. When this process ends, however
/// that happens, the input ends, and the bots end cleanly. If they are stopped then, the kernel lets them go on.
final class BotProcess {
    enum State: Equatable {
        case running
        /// Stopped, until that time of the monotonic clock.
        case stopped(untilNanoseconds: Int64)
        /// Killed. It starts again at that time.
        case killed(untilNanoseconds: Int64)
    }

    static let stopSeconds: Int64 = 2
    static let downSeconds: Int64 = 3
    private static let terminationSteps = 250

    private let program: String
    private let arguments: [String]
    private var pid: pid_t = 0
    private var input: Int32 = -1
    private(set) var state = State.running

    /// Starts the bots.
    ///
    /// - Parameter arguments: The command line of this process, beginning with its name.
    init(arguments: [String]) throws(FileError) {
        self.arguments = arguments
        program = try Self.ownProgram()
        try start(isResumed: false)
    }

    deinit { if input >= 0 { close(input) } }

    /// Sends a command. A pipe holds hundreds of them.
    func send(_ command: String) {
        let line = Array("\(command)\n".utf8)
        _ = write(input, line, line.count)
    }

    /// Stops the process for a while.
    func stop(at nowNanoseconds: Int64) {
        kill(pid, SIGSTOP)
        state = .stopped(untilNanoseconds: nowNanoseconds + Self.stopSeconds * 1_000_000_000)
    }

    /// Kills the process, which starts again after a while.
    func crash(at nowNanoseconds: Int64) {
        kill(pid, SIGKILL)
        _ = reap(options: 0)
        state = .killed(untilNanoseconds: nowNanoseconds + Self.downSeconds * 1_000_000_000)
    }

    /// Lets a stopped process go on and starts a killed one, each at its time.
    ///
    /// - Returns: The exit status of a process that has ended by itself; nil if none has.
    func look(at nowNanoseconds: Int64) throws(FileError) -> Int32? {
        switch state {
        case .stopped(let until) where nowNanoseconds >= until:
            kill(pid, SIGCONT)
            state = .running
        case .killed(let until):
            guard nowNanoseconds >= until else { return nil }
            try start(isResumed: true)
            state = .running
        case .running, .stopped: break
        }
        return reap(options: WNOHANG)
    }

    /// Ends the process cleanly, or by force if it has not ended after five seconds.
    ///
    /// - Returns: Its exit status.
    func end() -> Int32 {
        if case .killed = state { return 0 }
        kill(pid, SIGTERM)
        kill(pid, SIGCONT)
        for _ in 0..<Self.terminationSteps {
            if let status = reap(options: WNOHANG) { return status }
            sleepNanoseconds(20_000_000)
        }
        kill(pid, SIGKILL)
        return reap(options: 0) ?? 1
    }

    private func start(isResumed: Bool) throws(FileError) {
        if input >= 0 { close(input) }
        input = -1
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            close(ends[0])
        }
        let words = arguments.prefix(1) + ["--commands"] + (isResumed ? ["--resume"] : []) + arguments.dropFirst()
        var pointers = words.map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        let code = posix_spawn(&pid, program, &actions, nil, &pointers, environ)
        guard code == 0 else {
            close(ends[1])
            throw failure(code)
        }
        input = ends[1]
    }

    private func failure(_ code: Int32) -> FileError { FileError(action: "start", path: program, code: code) }

    /// Returns the exit status of the process if it has ended: of a killed one 128 and the signal, as in a shell.
    private func reap(options: Int32) -> Int32? {
        var status: Int32 = 0
        while true {
            let ended = waitpid(pid, &status, options)
            if ended < 0 && errno == EINTR { continue }
            guard ended == pid else { return nil }
            return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + status & 0x7f
        }
    }

    private static func ownProgram() throws(FileError) -> String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let link = "/proc/self/exe"
        let count = buffer.withUnsafeMutableBytes {
            readlink(link, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        guard count > 0 else { throw FileError(action: "read", path: link, code: errno) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

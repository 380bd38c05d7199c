package import Glibc

/// Another process, started by a test and ended with it.
package final class ChildProcess {
    package enum Exit: Equatable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    package struct SpawnError: Error, CustomStringConvertible {
        package let description: String
    }

    package let pid: pid_t
    private var exit: Exit?
    private let output: Int32
    private let errors: Int32

    /// Starts `arguments[0]`, a path or a command in PATH.
    ///
    /// - Parameters:
    ///   - environment: Variables that are set over those of this process. The child prints no backtrace if it crashes,
    ///     because some children crash on purpose. Add `SWIFT_BACKTRACE` to see one.
    /// - Throws: ``SpawnError``.
    package init(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws {
        output = try Self.unnamedFile()
        errors = try Self.unnamedFile()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        let words = arguments.map { strdup($0) } + [nil]
        let quiet = ["SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 }
        let variables = Self.merged(quiet).map { strdup($0) } + [nil]
        defer { (words + variables).forEach { free($0) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // No signal is blocked in it, as in one that a shell starts. The threads of this process block most.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pid: pid_t = 0
        let number = posix_spawnp(&pid, arguments[0], &actions, &attributes, words, variables)
        guard number == 0 else {
            throw SpawnError(description: "cannot start \(arguments[0]): \(String(cString: strerror(number)))")
        }
        self.pid = pid
    }

    deinit {
        if exit == nil {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
        close(output)
        close(errors)
    }

    /// Its standard output so far.
    package var standardOutput: String { Self.contents(output) }
    package var standardError: String { Self.contents(errors) }
    package var lines: [Substring] { standardOutput.split(separator: "\n") }

    /// Sends a signal to this process alone.
    package func send(_ signal: Int32) { if exit == nil { kill(pid, signal) } }

    /// Returns whether it has ended by now.
    package func hasEnded() -> Bool {
        var status: Int32 = 0
        if exit == nil, waitpid(pid, &status, WNOHANG) == pid { note(end: status) }
        return exit != nil
    }

    private func note(end status: Int32) {
        exit = status & 0x7f == 0 ? .code(status >> 8 & 0xff) : .signal(status & 0x7f)
    }

    /// Waits for its next stop, as by SIGSTOP.
    ///
    /// - Throws: ``Watchdog/Expired``, also if it ends before that.
    package func waitForStop() throws {
        try Watchdog.wait(for: "a stop of process \(pid)") {
            var status: Int32 = 0
            guard exit == nil, waitpid(pid, &status, WNOHANG | WUNTRACED) == pid else { return exit != nil }
            if status & 0xff == 0x7f { return true }
            note(end: status)
            return true
        }
        if let exit { throw Watchdog.Expired(description: "process \(pid) ended without a stop: \(exit)") }
    }

    /// Waits for its end.
    ///
    /// - Throws: ``Watchdog/Expired``.
    @discardableResult
    package func wait(limitSeconds: Double = 60) throws -> Exit {
        try Watchdog.wait(for: "the end of process \(pid)", limitSeconds: limitSeconds) { hasEnded() }
        return exit!
    }

    /// Waits until its standard output has a line with this beginning, and returns the line.
    ///
    /// - Throws: ``Watchdog/Expired``, also if it ends before that.
    package func line(beginning prefix: String, limitSeconds: Double = 60) throws -> String {
        func found() -> Substring? { lines.first { $0.hasPrefix(prefix) } }
        try Watchdog.wait(for: "\"\(prefix)\" from process \(pid)", limitSeconds: limitSeconds) {
            found() != nil || hasEnded()
        }
        guard let line = found() else {
            throw Watchdog.Expired(
                description: "process \(pid) ended without \"\(prefix)\": \(standardOutput)\(standardError)")
        }
        return String(line)
    }

    /// Returns the path of a program of this build: in `RINGSIDE_BIN_DIR` if that is set, else beside the tests
    /// themselves.
    package static func builtProgram(_ name: String) -> String {
        if let directory = getenv("RINGSIDE_BIN_DIR") { return "\(String(cString: directory))/\(name)" }
        return "\(folderOfTests)/\(name)"
    }

    /// The folder in which the tests were built. The programs of this package are built there too, in the same
    /// configuration.
    package static var folderOfTests: String {
        var path = [UInt8](repeating: 0, count: 4096)
        let count = path.withUnsafeMutableBytes {
            readlink("/proc/self/exe", $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        let own = String(decoding: path.prefix(max(0, count)), as: UTF8.self)
        return String(own.prefix(upTo: own.lastIndex(of: "/") ?? own.startIndex))
    }

    /// Makes a file, not a pipe, so that the child runs on even if nobody reads it.
    private static func unnamedFile() throws -> Int32 {
        var template = Array("/tmp/ringside-output-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SpawnError(description: "cannot make a file under /tmp: errno \(errno)") }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func contents(_ descriptor: Int32) -> String {
        var status = stat()
        fstat(descriptor, &status)
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, 0))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns this process' variables with the changes. They come from /proc, because Swift considers the C global
    /// `environ` unsafe.
    private static func merged(_ changes: [String: String]) -> [String] {
        var inherited: [UInt8] = []
        let descriptor = open("/proc/self/environ", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var piece = [UInt8](repeating: 0, count: 4096)
        while case let count = read(descriptor, &piece, piece.count), count > 0 { inherited += piece.prefix(count) }
        let kept = inherited.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            .filter { changes[String($0.prefix { $0 != "=" })] == nil }
        return kept + changes.map { "\($0.key)=\($0.value)" }
    }
}

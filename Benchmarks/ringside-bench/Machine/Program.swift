internal import CBench
internal import Glibc

/// Another program, started by this one. It is controlled over its standard input and output, and ended with the last
/// reference.
final class Program {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let child: bench_child
    private var isInputOpen = true
    private var received: [UInt8] = []
    private var exitStatus: Int32?

    var pid: Int32 { child.pid }

    /// Starts `arguments[0]`, a path or a command in PATH.
    ///
    /// - Parameter errorFile: The file for its standard error.
    /// - Throws: ``Failure`` if it cannot be started.
    init(_ arguments: [String], errorFile: String = "/dev/null") throws {
        let words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var child = bench_child()
        let failed = bench_spawn(words, errorFile, &child)
        guard failed == 0 else {
            throw Failure(description: "cannot start \(arguments[0]): \(String(cString: strerror(failed)))")
        }
        self.child = child
    }

    deinit {
        if exitStatus == nil {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
        if isInputOpen { Glibc.close(child.input) }
        Glibc.close(child.output)
    }

    /// Sends it a line.
    func send(_ line: String) {
        var text = line + "\n"
        text.withUTF8 { _ = write(child.input, $0.baseAddress, $0.count) }
    }

    /// Returns its next line of output; nil if it has ended or writes nothing for the time limit.
    func nextLine(limitSeconds: Int32 = 60) -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var waiting = pollfd(fd: child.output, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, limitSeconds * 1000) > 0, receive() else { return nil }
        }
    }

    /// Returns the rest of its output, and its exit status, or -1 for a signal.
    func finish() -> (output: String, status: Int32) {
        while receive() {}
        return (String(decoding: received, as: UTF8.self), wait())
    }

    /// Closes its standard input, and waits until it has ended because of that.
    func close() {
        Glibc.close(child.input)
        isInputOpen = false
        _ = finish()
    }

    /// Ends it by SIGTERM, and waits for that.
    func terminate() {
        kill(pid, SIGTERM)
        _ = wait()
    }

    private func receive() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(child.output, &chunk, chunk.count)
        if count > 0 { received += chunk[..<count] }
        return count > 0 || (count < 0 && errno == EINTR)
    }

    private func wait() -> Int32 {
        if let exitStatus { return exitStatus }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        let ended = status & 0x7f == 0 ? status >> 8 & 0xff : -1
        exitStatus = ended
        return ended
    }
}

extension Program {
    /// Returns the output of a program that succeeds.
    ///
    /// - Throws: ``Failure`` if it cannot be started or fails.
    static func output(_ arguments: [String]) throws -> String {
        let (output, status) = try Program(arguments).finish()
        guard status == 0 else { throw Failure(description: "\(arguments[0]) failed with status \(status)") }
        return output
    }

    /// The folder that this program lies in. The other commands of the build lie beside it.
    static let ownFolder: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        let own = String(decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "."
    }()
}

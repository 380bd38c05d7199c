import Collector
import Platform
import Glibc
import RingReader
import TestSupport
import Testing

/// The folder in which a collector keeps its state.
@Suite(.serialized) struct StateDirectoryTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")

    @Test("it is made with all parents, for its user alone, and the second collector is told who has it")
    func lock() throws {
        let path = "\(folder.path)/a/b"
        var first: StateDirectory? = try StateDirectory(path: path)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect {
            _ = try StateDirectory(path: path)
        } throws: {
            "\($0)".contains(path) && "\($0)".contains("in use by the collector with pid \(getpid());")
        }
        withExtendedLifetime(first) {}
        first = nil
        _ = try StateDirectory(path: path)
    }

    @Test("an obstacle at its path is named")
    func obstacle() throws {
        let file = "\(folder.path)/file"
        close(open(file, O_CREAT | O_WRONLY, 0o600))
        #expect {
            _ = try StateDirectory(path: "\(file)/state")
        } throws: {
            "\($0)".contains("\(file)/state: Not a directory")
                || "\($0)".contains("\(file)/state/lock: Not a directory")
        }
    }

    @Test("without --state-dir it is systemd's, the user's by XDG_STATE_HOME, or below the home, by the port")
    func defaults() {
        let names = ["STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"]
        let before = names.map { name in getenv(name).map { String(cString: $0) } }
        defer {
            for (name, value) in zip(names, before) {
                if let value { setenv(name, value, 1) } else { unsetenv(name) }
            }
        }
        for name in names { unsetenv(name) }
        #expect(StateDirectory.defaultPath(port: 8000) == nil)
        setenv("HOME", "/home/u", 1)
        #expect(StateDirectory.defaultPath(port: 8000) == "/home/u/.local/state/ringside/8000")
        setenv("XDG_STATE_HOME", "/x", 1)
        #expect(StateDirectory.defaultPath(port: 8000) == "/x/ringside/8000")
        setenv("STATE_DIRECTORY", "/var/lib/ringside:/var/lib/other", 1)
        #expect(StateDirectory.defaultPath(port: 9) == "/var/lib/ringside/9")
    }

    @Test("the writer's thread writes what it is given, reports a failure once, and goes on when it is over")
    func writer() throws {
        let directory = try StateDirectory(path: folder.path)
        var random = RandomState(seed: 1)
        let (store, saved) = try StateStore.open(path: directory.databasePath, logger: Logger(level: .error))
        #expect(saved == nil)
        let writer = try CheckpointWriter(store, in: directory, logger: Logger(level: .error))
        #expect(writer.outcome == nil && !writer.isBusy)
        let first = random.checkpoint(0..<3)
        writer.take(first)
        try Watchdog.wait(for: "a checkpoint") { !writer.isBusy }
        #expect(writer.outcome == .written)
        writer.take(random.checkpoint(1..<2))
        var last = random.checkpoint(2..<5)
        last.isLast = true
        writer.finish(last)
        #expect(writer.outcome == .written && !writer.isBusy)
    }
}

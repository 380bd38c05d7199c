import Glibc
import TestSupport

/// The wall clock of the processes that are started with ``environment``. A test sets it.
final class WallClock {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private let descriptor: Int32

    init() throws {
        let compiler = try ChildProcess([
            "gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", Self.source, "-o",
            "\(folder.path)/clock.so",
        ])
        guard try compiler.wait(limitSeconds: 300) == .code(0) else {
            throw Unexpected(description: "the clock cannot be built: \(compiler.standardError)")
        }
        descriptor = open("\(folder.path)/offset", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        set(secondsAhead: 0)
    }

    deinit { close(descriptor) }

    private static let source =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        + "/wall_clock.c"

    /// Steps the clock of all processes that were started, and of all that will be.
    func set(secondsAhead seconds: Int64) {
        var seconds = seconds
        pwrite(descriptor, &seconds, 8, 0)
    }

    var environment: [String: String] {
        ["LD_PRELOAD": "\(folder.path)/clock.so", "RINGSIDE_TEST_WALL_CLOCK": "\(folder.path)/offset"]
    }
}

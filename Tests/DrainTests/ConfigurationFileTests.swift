import Platform
import Glibc
import Synchronization
import Testing

@testable import Drain

/// A configuration file that a test writes. It is removed with the last reference.
private final class WrittenFile {
    let path: String

    init(_ text: String) {
        var template = Array("/tmp/ringside-config-XXXXXX".utf8CString)
        close(mkstemp(&template))
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        write(text)
    }

    deinit { unlink(path) }

    func write(_ text: String) {
        let file = open(path, O_WRONLY | O_TRUNC)
        _ = Glibc.write(file, text, text.utf8.count)
        close(file)
    }
}

private final class HandClock: Sendable {
    private let unix = Mutex<Int64>(5)
    var source: TimeSource { TimeSource(monotonic: { 0 }, unix: { self.unix.withLock { $0 } }) }
    func set(_ time: Int64) { unix.withLock { $0 = time } }
}

@Suite struct ConfigurationFileTests {
    private let clock = HandClock()
    private let quiet = Logger(level: .error, descriptor: -1)

    @Test("a good file comes into force, a bad one leaves the old, and a good one after it comes into force again")
    func reloading() throws {
        let written = WrittenFile("{ metrics: [{ match: 'a', drop: true }] }")
        let file = try ConfigurationFile(path: written.path, logger: quiet, time: clock.source)
        #expect(file.current.configuration.metrics.count == 1)
        clock.set(7)
        written.write("{ metrics: [\n{ match: 'a', dorp: true }] }")
        guard case .refused(let reason) = file.reload() else {
            Issue.record("a bad file was taken")
            return
        }
        #expect(reason.hasPrefix("\(written.path):2: metrics[0]."))
        #expect(file.current.configuration.metrics.count == 1 && file.current.number == 1)
        #expect(!file.status.isLastReloadSuccessful && file.status.lastSuccessUnixNanoseconds == 5)
        written.write("{}")
        #expect(file.reload() == .applied(needingRestart: []))
        #expect(file.current.configuration.metrics.isEmpty && file.current.number == 2)
        #expect(file.status.isLastReloadSuccessful && file.status.lastSuccessUnixNanoseconds == 7)
    }

    @Test("windows and quantiles stay as they were until a restart, and the reload says so")
    func restart() throws {
        let written = WrittenFile("{ windows: ['1s'] }")
        let file = try ConfigurationFile(path: written.path, logger: quiet)
        written.write("{ windows: ['5s'], quantiles: [0.5], rings: { leave: ['x'] } }")
        #expect(file.reload() == .applied(needingRestart: ["windows", "quantiles"]))
        #expect(file.current.configuration.windows.map(\.name) == ["1s"])
        #expect(file.current.configuration.quantiles == [0.5, 0.95, 0.99, 0.999])
        #expect(!file.current.configuration.rings.takes(bot: "x", ring: "x"))
    }

    @Test("a missing file, a directory, and no file at all, are reported")
    func absent() throws {
        let error = #expect(throws: ConfigurationFileError.self) {
            try ConfigurationFile(path: "/nowhere/x", logger: quiet)
        }
        #expect(error?.description == "cannot read the configuration /nowhere/x: No such file or directory")
        let directory = #expect(throws: ConfigurationFileError.self) {
            try ConfigurationFile(path: "/tmp", logger: quiet)
        }
        #expect(directory?.description == "cannot read the configuration /tmp: it is a directory; name a file in it")
        #expect(try ConfigurationFile(path: nil, logger: quiet).reload() == .noFile)
    }
}

import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

@testable import RingsideTool

/// Tests the figures that `ringside top` makes from the rings themselves.
@Suite("The rings as a source of figures") struct RingSourceTests {
    private let directory = TemporaryRingDirectory()

    private func attach(_ bot: String) throws -> Telemetry {
        try Telemetry.attach(bot, options: AttachOptions(directory: directory.path, capacityRecords: 4096))
    }

    private func source(_ bots: [String] = []) throws -> RingSource {
        try RingSource(bots, in: RingDirectory(path: directory.path))
    }

    @Test("percentiles are those of the records that the ring held, and of those that come")
    func percentiles() throws {
        let telemetry = try attach("alpha")
        let histogram = try telemetry.histogram("size", help: "Sizes.")
        for value in 1...1000 { histogram.record(Double(value)) }
        let source = try source()
        defer { source.stop() }
        func window() throws -> CollectorView.Window {
            try #require(source.latest().bots.first?.metrics.first?.windows?["1m"])
        }
        let first = try window()
        #expect(first.count == 1000 && first.lost == 0 && first.max == 1000)
        for (quantile, exact) in [(first.p50, 500.0), (first.p95, 950), (first.p99, 990), (first.p999, 999)] {
            #expect(try abs(#require(quantile) / exact - 1) < 0.003, "\(exact)")
        }
        for _ in 0..<1000 { histogram.record(5000) }
        let second = try window()
        #expect(second.count == 2000 && second.max == 5000)
        telemetry.close()
    }

    @Test("nothing is written into a ring, and a bot that has closed it is shown as closed")
    func readOnly() throws {
        let telemetry = try attach("alpha")
        let histogram = try telemetry.histogram("size", help: "Sizes.")
        for value in 1...100 { histogram.record(Double(value)) }
        let file = RingFile(directory.ring("alpha"))
        let before = file.bytes()
        let source = try source()
        defer { source.stop() }
        #expect(try source.latest().bots.map(\.shownState) == ["up"])
        _ = try source.latest()
        #expect(file.bytes() == before)
        telemetry.close()
        try Watchdog.wait(for: "the end of the bot") { try source.latest().bots.map(\.shownState) == ["closed"] }
    }

    @Test("records overwritten before they were read are counted as lost, and all others are in the figures")
    func lapped() throws {
        let writer = FastWriter("alpha", in: directory, capacity: 1024)
        var isWriting = true
        defer { if isWriting { writer.stop() } }
        let source = try source()
        defer { source.stop() }
        func bot() throws -> CollectorView.Bot? { try source.latest().bots.first }
        try Watchdog.wait(for: "a loss") { try bot()?.lostRecords ?? 0 > 0 }
        writer.stop()
        isWriting = false
        let file = RingFile(directory.ring("alpha"))
        let position = file.read(at: file.header().producer.offset, as: UInt64.self)
        var last: CollectorView.Bot?
        try Watchdog.wait(for: "the last record") {
            last = try bot()
            return last?.position == position && last?.rings.allSatisfy { $0.backlog == 0 } == true
        }
        let ring = try #require(last?.rings.first)
        let count = try #require(last?.metrics.first { $0.name == "x_bps" }?.count)
        #expect(ring.lost["lapped"] ?? 0 > 0 && count > 0)
        #expect(ring.lost.values.reduce(count, +) == position, "\(count) of \(position): \(ring.lost)")
    }

    @Test("a ring that is removed is read until the end of its bot")
    func removed() throws {
        let telemetry = try attach("alpha"), other = try attach("beta")
        let histogram = try telemetry.histogram("size", help: "Sizes.")
        for value in 1...100 { histogram.record(Double(value)) }
        let source = try source()
        defer { source.stop() }
        func alpha() throws -> CollectorView.Bot? { try source.latest().bots.first { $0.bot == "alpha" } }
        #expect(try alpha()?.metrics.first?.count == 100)
        unlink(directory.ring("alpha"))
        for value in 1...50 { histogram.record(Double(value)) }
        try Watchdog.wait(for: "the records after it") { try alpha()?.metrics.first?.count == 150 }
        telemetry.close()
        try Watchdog.wait(for: "the end of the bot") { try alpha()?.shownState != "up" }
        #expect(try source.latest().bots.first { $0.bot == "beta" }?.shownState == "up")
        other.close()
    }

    @Test("only the chosen bots are read, and a damaged ring is named")
    func choice() throws {
        let alpha = try attach("alpha"), beta = try attach("beta")
        let chosen = try source(["beta"])
        #expect(try chosen.latest().bots.map(\.bot) == ["beta"])
        chosen.stop()
        RingFile.make(directory.ring("gamma"), [UInt8](repeating: 7, count: 8192))
        let all = try source()
        defer { all.stop() }
        try Watchdog.wait(for: "word of the damaged ring") {
            let view = try all.latest()
            return view.bots.map(\.bot) == ["alpha", "beta"] && view.unreadRings?.map(\.ring) == ["gamma"]
        }
        alpha.close()
        beta.close()
    }

    @Test("--once prints one frame of the rings, with a line that says so; without a ring it says what there is not")
    func once() throws {
        let arguments = ["top", "--once", "--collector", "http://127.0.0.1:1", "--ring-dir", directory.path]
        let none = try Tool.run(arguments)
        #expect(
            none.exit == .code(1) && none.errors.contains("there is no ring in \(directory.path)"), "\(none.errors)")
        let telemetry = try attach("alpha")
        let histogram = try telemetry.histogram("size", help: "Sizes.")
        for value in 1...100 { histogram.record(Double(value)) }
        let tool = try Tool.run(arguments + ["--window", "1m"])
        #expect(tool.exit == .code(0) && tool.errors == "", "\(tool.errors)")
        #expect(tool.output.hasPrefix("no collector answers at http://127.0.0.1:1; "))
        #expect(tool.output.contains("alpha  up") && tool.output.contains("alpha  size"), "\(tool.output)")
        let wrong = try Tool.run(arguments + ["--bot", "alhpa"])
        #expect(wrong.exit == .code(1) && wrong.errors.contains("alhpa"), "\(wrong.errors)")
        telemetry.close()
    }

    @Test("the rings do not stand in for a collector of another machine, nor for one that refuses")
    func others() throws {
        let telemetry = try attach("alpha")
        let client = CollectorClient(access: CollectorAccess(url: "http://127.0.0.1:1"))
        let directory = RingDirectory(path: self.directory.path)
        #expect(throws: CollectorError.self) {
            try TopSource(client, bots: [], directory: directory, mayReadRings: false).latest()
        }
        #expect(!CollectorAccess(url: "http://10.1.2.3:8000").isOfThisMachine)
        for url in ["http://127.0.0.1:8000", "https://localhost:9", "http://[::1]:8000"] {
            #expect(CollectorAccess(url: url).isOfThisMachine, "\(url)")
        }
        let server = try CannedServer(status: "401 Unauthorized", body: "{}")
        let refusing = CollectorClient(access: CollectorAccess(url: server.url))
        #expect(throws: CollectorError.self) {
            try TopSource(refusing, bots: [], directory: directory, mayReadRings: true).latest()
        }
        telemetry.close()
    }
}

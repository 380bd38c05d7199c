import CRingside
import FoundationEssentials
import Glibc
import Ringside
import TestSupport
import Testing

struct ControlDocument: Decodable {
    struct Word: Decodable, Equatable {
        let enabled: Bool
        let sampling_n: Int
    }

    struct Metric: Decodable {
        let name: String
        let labels: [String: String]
        let enabled: Bool
        let sampling_n: Int

        var word: Word { Word(enabled: enabled, sampling_n: sampling_n) }
    }

    struct Ring: Decodable {
        let ring: String
        let state: String?
        let changed: Int
        let changes: UInt64?
        let `default`: Word
        let metrics: [Metric]

        /// The word of all metrics, if it is the same for all.
        var word: Word? { metrics.allSatisfy { $0.word == metrics[0].word } ? metrics[0].word : nil }
    }

    let host_switch: String?
    let rings: [Ring]
}

extension Tool {
    static func control(_ directory: TemporaryRingDirectory, _ more: String...) throws -> ControlDocument {
        let tool = try run(["control", "--ring-dir", directory.path, "--format", "json"] + more)
        guard tool.exit == .code(0) else { throw Failed(errors: tool.errors) }
        return try JSONDecoder().decode(ControlDocument.self, from: Data(tool.output.utf8))
    }
}

private let full = ControlDocument.Word(enabled: true, sampling_n: 1)

@Suite struct ControlTests {
    private let directory = TemporaryRingDirectory()

    @Test("disable stops a running bot at its next call, and enable brings it back, N kept")
    func disabling() throws {
        try withTradingRing("alpha", in: directory) { telemetry in
            let hits = try telemetry.counter("hits_total", help: "Hits.")
            let values = try telemetry.histogram("value", help: "Values.")
            hits.increment()
            let file = RingFile(directory.ring("alpha"))
            func position() -> UInt64 { file.read(at: file.header().producer.offset, as: UInt64.self) }
            let before = position()
            #expect(try Tool.control(directory, "alpha", "--sampling", "1/7").rings[0].word?.sampling_n == 7)
            let off = try Tool.control(directory, "alpha", "--disable").rings[0]
            #expect(off.word == ControlDocument.Word(enabled: false, sampling_n: 7) && off.default == off.word)
            for _ in 0..<1000 {
                hits.increment()
                values.record(1)
            }
            #expect(position() == before)
            let on = try Tool.control(directory, "alpha", "--enable").rings[0]
            #expect(on.word == ControlDocument.Word(enabled: true, sampling_n: 7))
            #expect(try Tool.control(directory, "alpha", "--sampling", "100%").rings[0].word == full)
            hits.increment()
            for _ in 0..<5 { values.record(1) }
            #expect(position() == before + 5)
            let metrics = try Tool.dump(directory.ring("alpha")).metrics
            #expect(metrics.first { $0.name == "hits_total" }?.value == 2)
            #expect(metrics.first { $0.name == "value" }?.calls == 5)
        }
    }

    @Test("each word that changes is counted once, and one that is already as asked is left alone")
    func counting() throws {
        try withTradingRing("alpha", in: directory)
        let first = try Tool.control(directory, "alpha", "--sampling", "1/10").rings[0]
        #expect(first.changed == 7 && first.changes == 7)
        let again = try Tool.control(directory, "alpha", "--sampling", "1/10").rings[0]
        #expect(again.changed == 0 && again.changes == 7)
        let shown = try Tool.control(directory, "alpha", "--show").rings[0]
        #expect(shown.changed == 0 && shown.changes == 7 && shown.word?.sampling_n == 10)
    }

    @Test("a metric is selected by its name, also with labels, and a metric registered later begins with the default")
    func metrics() throws {
        try withTradingRing("alpha", in: directory, capacity: 16) { telemetry in
            _ = try telemetry.counter("fills_total", help: "Fills.", labels: ["side": "buy", "symbol": "A,B"])
            _ = try Tool.control(
                directory, "alpha", "--metric", "decide_seconds", "--metric", "ticks_total{symbol=BTC-USDT}",
                "--metric", "fills_total{symbol=\"A,B\"}", "--disable")
            let shown = try Tool.control(directory, "alpha").rings[0]
            #expect(
                shown.metrics.filter { !$0.enabled }.map(\.name) == ["ticks_total", "decide_seconds", "fills_total"])
            #expect(shown.default == full)
            let one = try Tool.control(directory, "alpha", "--metric", "slippage_bps").rings[0]
            #expect(one.metrics.map(\.name) == ["slippage_bps"])
            _ = try Tool.control(directory, "alpha", "--sampling", "1/3")
            _ = try telemetry.histogram("late", help: "Registered late.")
            let late = try Tool.control(directory, "alpha").rings[0].metrics.last
            #expect(late?.name == "late" && late?.word == ControlDocument.Word(enabled: true, sampling_n: 3))
            let wrong = try Tool.run(
                "control", "alpha", "--ring-dir", directory.path, "--metric", "ticks_total{symbol=ETH}", "--disable")
            #expect(wrong.exit == .code(1) && wrong.errors.contains("ticks_total{symbol=ETH}"))
        }
    }

    @Test("a bot's name means all its lanes, a ring's name that ring, and a name that no ring has is a failure")
    func names() throws {
        for ring in ["alpha.md", "alpha.orders", "beta", "alphabet"] { try withTradingRing(ring, in: directory) }
        #expect(
            try Tool.control(directory, "alpha", "--sampling", "1/5").rings.map(\.ring) == ["alpha.md", "alpha.orders"])
        #expect(try Tool.control(directory, "alpha.md", "beta", "--enable").rings.map(\.ring) == ["alpha.md", "beta"])
        #expect(try Tool.list(directory).map(\.sampling) == ["1/5", "1/5", "all", "all"])
        let missing = try Tool.run("control", "gamma", "beta", "--disable", "--ring-dir", directory.path)
        #expect(
            missing.exit == .code(1) && missing.errors.contains("there is no ring \(directory.path)/ringside.gamma"))
        #expect(try Tool.list(directory).map(\.sampling) == ["1/5", "1/5", "all", "off"])
    }

    @Test(
        "a percentage becomes the nearest 1/N, which is said where it is another share",
        arguments: [
            ("10%", 10, nil), ("100%", 1, nil), ("0.1%", 1000, nil), ("30%", 3, "1/3, which is 33.33"),
            ("0.0001%", 65535, "1/65535"), ("1/65535", 65535, nil),
        ])
    func percentages(text: String, n: Int, remark: String?) throws {
        try withTradingRing("alpha", in: directory)
        let tool = try Tool.run("control", "alpha", "--sampling", text, "--ring-dir", directory.path)
        #expect(tool.exit == .code(0))
        #expect(try Tool.control(directory, "alpha").rings[0].word?.sampling_n == n)
        if let remark { #expect(tool.errors.contains(remark)) } else { #expect(tool.errors == "") }
    }

    @Test("options that make no sense are wrong usage and change nothing")
    func usage() throws {
        try withTradingRing("alpha", in: directory)
        let before = RingFile(directory.ring("alpha")).bytes()
        for more in [
            [], ["--disable"], ["alpha", "--all"], ["alpha", "--enable", "--disable"], ["alpha", "--show", "--enable"],
            ["alpha", "--sampling", "1/0"], ["alpha", "--sampling", "0%"], ["alpha", "--sampling", "101%"],
            ["alpha", "--sampling", "1/65536"], ["alpha", "--sampling", "10"], ["alpha", "--metric", "a{"],
            ["alpha", "--metric", "{a=b}"], ["--all", "--metric", "a", "--disable"], ["a b"],
        ] {
            let tool = try Tool.run(["control", "--ring-dir", directory.path] + more)
            #expect(tool.exit == .code(2) && tool.output == "" && tool.errors.hasPrefix("ringside"), "\(more)")
        }
        #expect(RingFile(directory.ring("alpha")).bytes() == before)
    }

    @Test("nothing but the control pages of a ring is changed")
    func untouched() throws {
        try withTradingRing("alpha", in: directory)
        let before = RingFile(directory.ring("alpha")).bytes()
        _ = try Tool.control(directory, "alpha", "--disable", "--sampling", "1/99")
        let after = RingFile(directory.ring("alpha")).bytes()
        let header = RingFile(directory.ring("alpha")).header()
        let pages = Int(header.control.offset)..<Int(header.producer.offset)
        #expect(before[..<pages.lowerBound] == after[..<pages.lowerBound])
        #expect(before[pages.upperBound...] == after[pages.upperBound...])
        #expect(before[pages] != after[pages])
    }

    @Test("another user's ring is refused by name, and its owner can change it", .enabled(if: geteuid() == 0))
    func foreign() throws {
        try withTradingRing("alpha", in: directory)
        chmod(directory.path, 0o755)
        chmod(directory.ring("alpha"), 0o644)
        func asNobody(_ arguments: String...) throws -> ChildProcess {
            let child = try ChildProcess(
                ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", ChildProcess.builtProgram("ringside")]
                    + ["control", "--ring-dir", directory.path] + arguments)
            try child.wait()
            return child
        }
        #expect(try asNobody("alpha").wait() == .code(0))
        let refused = try asNobody("alpha", "--disable")
        #expect(try refused.wait() == .code(1))
        #expect(refused.standardError.contains("belongs to root (uid 0)"))
        #expect(refused.standardError.contains("sudo -u root ringside control"))
        #expect(try Tool.list(directory)[0].sampling == "all")
        chown(directory.ring("alpha"), 65534, 65534)
        #expect(try asNobody("alpha", "--disable").wait() == .code(0))
        #expect(try Tool.list(directory)[0].sampling == "off")
    }

    @Test("a ring whose control words share a page with its cells is not opened for writing")
    func sharedPages() throws {
        try withTradingRing("alpha", in: directory)
        let file = RingFile(directory.ring("alpha"))
        var header = file.header()
        header.control.offset = header.producer.offset + 1024
        file.write(header, at: 0)
        let tool = try Tool.run("control", "alpha", "--disable", "--ring-dir", directory.path)
        #expect(tool.exit == .code(1) && tool.errors.contains("share pages"))
        #expect(try Tool.run("control", "alpha", "--ring-dir", directory.path).exit == .code(0))
    }

    /// Each pass truncates and remakes the ring, so the tool meets it in any state.
    @Test("a ring that is truncated, removed and made anew under the tool ends it by no signal")
    func truncated() throws {
        try withTradingRing("alpha", in: directory)
        let whole = RingFile(directory.ring("alpha")).bytes()
        var codes: Set<Int32> = []
        for round in 0..<20 {
            let tool = try ChildProcess([
                ChildProcess.builtProgram("ringside"), "control", "alpha", round % 2 == 0 ? "--disable" : "--enable",
                "--ring-dir", directory.path,
            ])
            try Watchdog.wait(for: "the tool") {
                Glibc.truncate(directory.ring("alpha"), 0x30000)
                RingFile.make(directory.ring("alpha"), whole)
                unlink(directory.ring("alpha"))
                RingFile.make(directory.ring("alpha"), whole)
                return tool.hasEnded()
            }
            guard case .code(let code) = try tool.wait() else {
                Issue.record("round \(round): \(try tool.wait())")
                continue
            }
            codes.insert(code)
        }
        #expect(codes.isSubset(of: [0, 1]))
    }

    @Test("no word is lost when a table fills up while the tool changes it")
    func growing() throws {
        try withTradingRing("alpha", in: directory)
        let telemetry = try Telemetry.attach(
            "alpha", options: AttachOptions(directory: directory.path, capacityRecords: 16, metricCapacity: 8))
        let tool = try ChildProcess([
            ChildProcess.builtProgram("ringside"), "control", "alpha", "--sampling", "1/9", "--ring-dir",
            directory.path,
        ])
        var count = 0
        try Watchdog.wait(for: "the tool") {
            _ = try? telemetry.counter("more_total", help: "More.", labels: ["n": "\(count)"])
            count += 1
            return tool.hasEnded()
        }
        #expect(try tool.wait() == .code(0), "\(tool.standardError)")
        _ = try? telemetry.counter("last_total", help: "Last.")
        let shown = try Tool.control(directory, "alpha").rings[0]
        #expect(shown.default.sampling_n == 9 && shown.word?.sampling_n == 9)
        telemetry.close()
    }
}

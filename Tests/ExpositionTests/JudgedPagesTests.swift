import FoundationEssentials
import Glibc
import Rules
import Series
import Sketch
import TestSupport
import Testing

@testable import Exposition

/// Tests each page in every form with the libraries that Prometheus' users read it with: prometheus_client's strict
/// parser of OpenMetrics and its parser of text, and Google's protobuf with the official metrics.proto.
@Suite struct JudgedPagesTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")

    private func write(_ snapshot: Snapshot, as name: String, histograms: NativeHistogramOptions = .standard) {
        let families = Families(snapshot, process: nil)
        for (format, suffix) in [(ExpositionFormat.text, "txt"), (.openMetrics, "om"), (.protobuf, "pb")] {
            RingFile.make("\(folder.path)/\(name).\(suffix)", format.render(families, histograms: histograms))
        }
    }

    private func expectAgreement(of pages: Int) throws {
        let judge = "\(#filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" })/Judges/pages.py"
        let child = try ChildProcess([Python.path, judge, folder.path])
        #expect(try child.wait(limitSeconds: 300) == .code(0), "\(child.standardError)")
        #expect(child.standardOutput == "\(pages) pages agree\n")
    }

    @Test("pages of hostile bots are good in every form, and say the same in each")
    func hostile() throws {
        for seed in 0..<60 { write(hostileSnapshot(seed: UInt64(seed)), as: "hostile\(seed)") }
        try expectAgreement(of: 60)
    }

    @Test("pages of bots with all kinds of values are good in every form, and say the same in each")
    func ordinary() throws {
        for seed in 0..<20 {
            let options = NativeHistogramOptions(schema: seed % 12 - 4, bucketLimit: seed % 3 == 0 ? 20 : nil)
            write(try ordinarySnapshot(seed: UInt64(seed)), as: "ordinary\(seed)", histograms: options)
        }
        try expectAgreement(of: 20)
    }

    @Test("pages of the same bots in other units are good in every form, and say the same in each")
    func converted() throws {
        let renames: [(String, String, Double?)] = [
            ("x_seconds", "x_us", nil), ("size_bytes", "size_kib", nil), ("slippage_bps", "slippage_percent", nil),
            ("empty_seconds", "empty_ns", nil), ("endless_seconds", "endless_ms", nil), ("wild_usd", "wild", 0.93),
            ("spent_total", "spent_us_total", 1e6), ("depth", "depth_mib", 1e-3),
        ]
        let rules = MetricRules(renames.map { MetricRule(match: Glob($0.0), rename: $0.1, scale: $0.2) })
        for seed in 0..<20 {
            let options = NativeHistogramOptions(schema: 7 - seed % 12, bucketLimit: seed % 3 == 0 ? 20 : nil)
            let snapshot = try ordinarySnapshot(seed: UInt64(seed), rules)
            #expect(Set(snapshot.bots[0].metrics.map(\.name)) == Set(renames.map(\.1)))
            write(snapshot, as: "converted\(seed)", histograms: options)
        }
        try expectAgreement(of: 20)
    }

    /// Returns two bots with lanes, whose histograms have traces, chosen edges, values of both signs, or no values at
    /// all.
    private func ordinarySnapshot(seed: UInt64, _ rules: MetricRules = MetricRules()) throws -> Snapshot {
        var random = SplitMix(state: seed)
        let bots = try ["alpha", "beta"].map { name in
            let bot = BotSeries(name: name, options: SeriesOptions(), now: 0)
            bot.labels = [Label("env", "paper \"x\" \\ \n")]
            bot.lane("md").ringCreatedUnixSeconds = 1_700_000_000.25
            bot.hold(to: [ThresholdRule(instrument: "x_seconds", labels: [], threshold: 0.05)]) { name, _ in
                name == "size_bytes" ? [100, 1e6, 1_048_577, 1e21] : nil
            }
            let shapes: [(String, MetricUnit, () -> Double)] = [
                ("x_seconds", .seconds, { Double.random(in: 0...1, using: &random) }),
                ("size_bytes", .bytes, { Double(UInt32.random(in: 0...(.max), using: &random)) }),
                ("slippage_bps", .bps, { Double.random(in: -20...20, using: &random).rounded() }),
                ("empty_seconds", .seconds, { .nan }),
                ("endless_seconds", .seconds, { Double.random(in: 0...1, using: &random) < 0.1 ? .infinity : 0.25 }),
                ("wild_usd", .usd, { [1, -3, .infinity, -.infinity].randomElement(using: &random)! }),
            ]
            // These are equivalent in Unicode, but not equal.
            for (place, venue) in ["caf\u{E9}", "cafe\u{301}"].enumerated() {
                for (name, kind) in [("spent_total", MetricKind.counter), ("depth", .gauge)] {
                    let metric = MetricDescriptor(
                        name: name, help: "H.", kind: kind, unit: .none, labels: [Label("venue", venue)])
                    let instrument = try #require(bot.lane("md").register(metric, isCurrent: true))
                    let value = Number.real(place == 0 ? .infinity : 55)
                    instrument.sample(total: value, wasWatched: true)
                    instrument.sample(gauge: (value, value), now: 0, options: bot.options)
                }
            }
            for (name, unit, next) in shapes {
                let metric = MetricDescriptor(
                    name: name, help: "Help with \"quotes\", \\ and \n.", kind: .histogram, unit: unit,
                    labels: [Label("venue", "X")])
                let instrument = try #require(bot.lane("md").register(metric, isCurrent: true))
                for record in 1...300 {
                    let value = next()
                    guard instrument.recorder?.records.insert(value: value, timeNanoseconds: 0) == true else {
                        continue
                    }
                    instrument.watch?.recorder.pointee.count(value: value, weight: 1)
                    if record % 7 == 0 {
                        instrument.note(exemplar: value, time: Int64(record), traceID: TraceID(record))
                    }
                }
            }
            bot.lane("md").isUp = true
            return BotSnapshot(
                name: name, isUp: true, labels: bot.labels, rings: [ring("md")],
                metrics: bot.metrics(now: 1_000_000, as: rules.plan(bot.heads)),
                windows: bot.completeness(now: 1_000_000))
        }
        var moment = snapshot(bots)
        moment.clockOffsetNanoseconds = 1_700_000_000_123_000_000
        return moment
    }
}

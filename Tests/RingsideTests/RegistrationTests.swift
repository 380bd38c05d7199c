import Glibc
import RingReader
import Ringside
import TestSupport
import Testing

@Suite struct RegistrationTests {
    private let directory = TemporaryRingDirectory()

    private func refusal(_ register: () throws(RegistrationError) -> Void) -> RegistrationError? {
        do throws(RegistrationError) {
            try register()
            return nil
        } catch {
            return error
        }
    }

    @Test("the same identity twice is one metric, its labels in any order")
    func sameIdentity() throws {
        let telemetry = try directory.attach()
        for labels: Labels in [["a": "1", "b": "2"], ["b": "2", "a": "1"], Labels([("a", "1"), ("b", "2")])] {
            try telemetry.counter("hits_total", help: "Hits.", labels: labels).increment()
        }
        try telemetry.counter("hits_total", help: "Hits.", labels: ["a": "1"]).increment(by: 10)
        let segment = try directory.segment()
        #expect(segment.metricCount == 2)
        #expect(segment.cell(0).first == 3 && segment.cell(1).first == 10)
        let metric = try #require(segment.metric(0))
        #expect(metric.labels.map { "\($0.name)=\($0.value)" } == ["a=1", "b=2"])
    }

    @Test("a reader decodes exactly what was registered")
    func decoded() throws {
        let telemetry = try directory.attach()
        let help = "Verhältnis, \"quoted\"\nin two lines \\ "
        _ = try telemetry.counter("fees_usd_total", unit: .usd, help: help)
        _ = try telemetry.upDownCounter("open_orders", help: "")
        _ = try telemetry.gauge("fill_ratio", unit: .ratio, help: "", labels: ["venue": "ünï ☃"])
        _ = try telemetry.histogram("slippage_bps", unit: .bps, help: "")
        _ = try telemetry.durationHistogram("decide_seconds", help: "")
        let segment = try directory.segment()
        let metrics = try (0..<segment.metricCount).map { try #require(segment.metric($0)) }
        #expect(
            metrics.map(\.name) == ["fees_usd_total", "open_orders", "fill_ratio", "slippage_bps", "decide_seconds"])
        #expect(metrics.map(\.kind) == [.counter, .upDownCounter, .gauge, .histogram, .histogram])
        #expect(metrics.map(\.numberType) == [.unsigned, .signed, .real, .real, .real])
        #expect(metrics.map(\.unit) == [.usd, .none, .ratio, .bps, .seconds])
        #expect(metrics[0].help == help && metrics[2].labels.map { "\($0.name)=\($0.value)" } == ["venue=ünï ☃"])
        #expect(metrics.allSatisfy { $0.life == 1 })
        telemetry.close()
    }

    @Test("a metric without a unit has the one that its name ends in, unless it is a rate per that unit")
    func unitOfName() throws {
        let telemetry = try directory.attach()
        _ = try telemetry.gauge("exposure_usd", help: "")
        _ = try telemetry.counter("received_bytes_total", help: "")
        _ = try telemetry.upDownCounter("skew_bps", help: "")
        _ = try telemetry.histogram("trades_per_usd", help: "")
        _ = try telemetry.histogram("seconds", help: "")
        _ = try telemetry.counter("per_seconds_total", help: "")
        // The same metric, whether its unit is named or not.
        _ = try telemetry.gauge("exposure_usd", unit: .usd, help: "")
        let segment = try directory.segment()
        let metrics = try (0..<segment.metricCount).map { try #require(segment.metric($0)) }
        #expect(metrics.map(\.unit) == [.usd, .bytes, .bps, .none, .none, .seconds])
        telemetry.close()
    }

    @Test("texts up to their limits go in whole, and one byte more is refused")
    func limits() throws {
        let telemetry = try directory.attach()
        let name = String(repeating: "n", count: 122) + "_total"
        let labels = Labels(
            (0..<16).map { index in
                let letter = String("abcdefghijklmnop".dropFirst(index).prefix(1))
                return (letter + String(repeating: "l", count: 31), String(repeating: "v", count: 128))
            })
        _ = try telemetry.counter(name, help: String(repeating: "h", count: 512), labels: labels)
        let segment = try directory.segment()
        let metric = try #require(segment.metric(0))
        #expect(metric.name == name && metric.help.utf8.count == 512 && metric.labels.count == 16)
        #expect(metric.labels.allSatisfy { $0.name.utf8.count == 32 && $0.value.utf8.count == 128 })

        let longName = refusal { () throws(RegistrationError) in _ = try telemetry.counter("n" + name, help: "") }
        #expect(
            longName?.reason == .invalidName && longName?.description.contains("1 to 128 bytes, this one 129") == true)
        let longHelp = refusal { () throws(RegistrationError) in
            _ = try telemetry.counter("hits_total", help: String(repeating: "h", count: 513))
        }
        #expect(longHelp?.reason == .invalidHelp && longHelp?.description.contains("at most 512 bytes") == true)
        let many = Labels((0..<17).map { ("l\($0)", "v") })
        let manyLabels = refusal { () throws(RegistrationError) in
            _ = try telemetry.counter("hits_total", help: "", labels: many)
        }
        #expect(
            manyLabels?.reason == .invalidLabel && manyLabels?.description.contains("17 labels; at most 16") == true)
        #expect(segment.metricCount == 1 && segment.refusedMetrics == 3)
    }

    /// A name, the kind that it is registered as, and a part of the refusal.
    static let badNames: [(String, String, String)] = [
        ("", "counter", "1 to 128 bytes"), ("hits", "counter", "hits_total"),
        ("hits_total", "gauge", "suffix of counters"),
        ("1st_total", "counter", "not beginning with a digit"), ("a-b_total", "counter", "letters, digits and _"),
        ("é_total", "counter", "letters, digits and _"), ("hits\0_total", "counter", "letters, digits and _"),
        ("ringside_hits_total", "counter", "ringside_ is reserved"), ("process_x", "gauge", "process_ is reserved"),
        ("scrape_x", "gauge", "scrape_ is reserved"), ("load_count", "gauge", "_count"),
        ("load_sum", "histogram", "_sum"),
        ("load_bucket", "histogram", "_bucket"), ("load_created", "gauge", "_created"), ("load_info", "gauge", "_info"),
        ("decide", "duration", "decide_seconds"), ("decide_ms", "duration", ": decide_seconds"),
        ("fees_total", "usd counter", "_usd_total"),
    ]

    @Test("a bad name is refused with the reason, and counted", arguments: badNames)
    func badName(name: String, kind: String, complaint: String) throws {
        let telemetry = try directory.attach()
        let refused = refusal { () throws(RegistrationError) in
            switch kind {
            case "counter": _ = try telemetry.counter(name, help: "")
            case "usd counter": _ = try telemetry.counter(name, unit: .usd, help: "")
            case "gauge": _ = try telemetry.gauge(name, help: "")
            case "duration": _ = try telemetry.durationHistogram(name, help: "")
            default: _ = try telemetry.histogram(name, help: "")
            }
        }
        #expect(refused?.reason == .invalidName)
        #expect(refused?.description.contains(complaint) == true, "\(refused?.description ?? "accepted")")
        let segment = try directory.segment()
        #expect(segment.refusedMetrics == 1 && segment.metricCount == 0 && segment.textBytesUsed == 0)
    }

    static let badLabels: [(String, String, String)] = [
        ("", "v", "1 to 32 bytes"), ("9x", "v", "not beginning with a digit"), ("a-b", "v", "letters, digits and _"),
        (String(repeating: "l", count: 33), "v", "1 to 32 bytes"), ("le", "v", "used by the exports"),
        ("quantile", "v", "used by the exports"), ("bot", "v", "used by the exports"),
        ("lane", "v", "used by the exports"),
        ("instance", "v", "used by the exports"), ("__x", "v", "used by the exports"), ("side", "", "leave it out"),
        ("side", String(repeating: "v", count: 129), "at most 128 bytes"), ("side", "a\0b", "not UTF-8"),
        ("si\0de", "v", "letters, digits and _"),
    ]

    @Test("a bad label is refused with the reason", arguments: badLabels)
    func badLabel(name: String, value: String, complaint: String) throws {
        let telemetry = try directory.attach()
        let refused = refusal { () throws(RegistrationError) in
            _ = try telemetry.counter("hits_total", help: "", labels: Labels([("ok", "1"), (name, value)]))
        }
        #expect(refused?.reason == .invalidLabel)
        #expect(refused?.description.contains(complaint) == true, "\(refused?.description ?? "accepted")")
        #expect(refused?.description.hasSuffix("(metric \"hits_total\")") == true)
    }

    @Test("a label name that occurs twice is refused, and so is help with a NUL in it")
    func twice() throws {
        let telemetry = try directory.attach()
        let twice = refusal { () throws(RegistrationError) in
            _ = try telemetry.counter("hits_total", help: "", labels: Labels([("a", "1"), ("b", "2"), ("a", "3")]))
        }
        #expect(twice?.reason == .invalidLabel && twice?.description.contains("twice") == true)
        let help = refusal { () throws(RegistrationError) in _ = try telemetry.counter("hits_total", help: "Hi\0ts.") }
        #expect(help?.reason == .invalidHelp)
    }

    @Test("one name has one kind and one unit in a life, whatever its labels, and may change them in the next")
    func conflictingKind() throws {
        let first = try directory.attach()
        _ = try first.gauge("level", help: "", labels: ["a": "1"])
        for labels: Labels in [["a": "1"], ["a": "2"], [:]] {
            let refused = refusal { () throws(RegistrationError) in
                _ = try first.upDownCounter("level", help: "", labels: labels)
            }
            #expect(
                refused?.description
                    == "metric \"level\": it is registered already as a gauge (F64, no unit), and this is an up-down counter "
                    + "(I64, no unit); choose another name")
            #expect(refused?.reason == .conflictingKind)
        }
        first.close()
        let second = try directory.attach()
        _ = try second.upDownCounter("level", help: "", labels: ["a": "1"])
        let back = refusal { () throws(RegistrationError) in _ = try second.gauge("level", help: "", labels: ["a": "1"])
        }
        #expect(back?.reason == .conflictingKind)
        second.close()
    }

    @Test("a full table refuses the next metric, counts it, and keeps those it has")
    func tableFull() throws {
        let telemetry = try directory.attach(metrics: 3)
        for index in 0..<3 { _ = try telemetry.counter("c\(index)_total", help: "") }
        for index in 3..<6 {
            let refused = refusal { () throws(RegistrationError) in
                _ = try telemetry.counter("c\(index)_total", help: "")
            }
            #expect(refused?.reason == .tableFull && refused?.description.contains("larger metric capacity") == true)
        }
        try telemetry.counter("c2_total", help: "").increment()
        let segment = try directory.segment()
        #expect(segment.metricCount == 3 && segment.refusedMetrics == 3 && segment.cell(2).first == 1)
    }

    @Test("a full text arena refuses what does not fit and keeps nothing of it")
    func arenaFull() throws {
        let telemetry = try directory.attach(metrics: 100)
        let segment = try directory.segment()
        var registered = 0
        var refused: RegistrationError?
        while refused == nil {
            let help = "\(registered) " + String(repeating: "h", count: 500)
            refused = refusal { () throws(RegistrationError) in
                _ = try telemetry.counter("c\(registered)_total", help: help)
            }
            registered += refused == nil ? 1 : 0
        }
        #expect(refused?.reason == .tableFull && refused?.description.contains("text arena") == true)
        let used = segment.textBytesUsed
        for index in 0..<100 {
            let again = refusal { () throws(RegistrationError) in
                _ = try telemetry.counter("again\(index)_total", help: "\(index) " + String(repeating: "a", count: 500))
            }
            #expect(again?.reason == .tableFull)
        }
        #expect(segment.textBytesUsed == used && segment.metricCount == registered)
        _ = try telemetry.counter("small_total", help: "")
        #expect(segment.metricCount == registered + 1)
    }

    @Test("texts that repeat among the metrics of a family are stored once")
    func shared() throws {
        let telemetry = try directory.attach()
        for index in 0..<100 {
            _ = try telemetry.counter("hits_total", help: "The hits.", labels: ["symbol": "S\(index)"])
        }
        #expect(try directory.segment().textBytesUsed < 9 + 10 + 100 * 12)
    }

    @Test("a definition is checked without a ring, too")
    func withoutRing() throws {
        let telemetry = Telemetry.disabled()
        #expect(
            refusal { () throws(RegistrationError) in _ = try telemetry.counter("hits", help: "") }?.reason
                == .invalidName)
        try telemetry.counter("hits_total", help: "").increment()
    }
}

/// Tests the cost of a registration if there are many.
@Suite struct ManyMetricsTests {
    private let directory = TemporaryRingDirectory()

    private func registered(_ count: Int, lives: Int = 1) throws -> Double {
        var seconds = 0.0
        for _ in 0..<lives {
            let telemetry = try directory.attach("many", records: 64, metrics: 32_768)
            let start = processorSeconds()
            for index in 0..<count {
                _ = try telemetry.counter("fills_total", help: "Fills.", labels: ["symbol": "S\(index)"])
            }
            seconds = processorSeconds() - start
            telemetry.close()
        }
        return seconds
    }

    /// Returns the processor time of this thread, so that the work of others does not count.
    private func processorSeconds() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
    }

    @Test(
        "registering eight times as many metrics takes some eight times as long, and not sixty-four", arguments: [1, 2])
    func linear(lives: Int) throws {
        let few = try registered(4096, lives: lives)
        unlink(directory.ring("many"))
        let many = try registered(32_768, lives: lives)
        #expect(many < 24 * few)
        let segment = try directory.segment("many")
        #expect(segment.metricCount == 32_768 && segment.metric(32_767)?.labels.first?.value == "S32767")
    }
}

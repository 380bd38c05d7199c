import Series
import Testing

@testable import Exposition

@Suite struct PrometheusTextTests {
    private func parse(_ snapshot: Snapshot, process: ProcessStatistics? = nil) throws -> ParsedExposition {
        try ParsedExposition(PrometheusText.render(Families(snapshot, process: process)))
    }

    @Test("a counter keeps all its digits")
    func counters() throws {
        let parsed = try parse(snapshot([bot("alpha", [counter("x_total", .unsigned(.max))])]))
        #expect(parsed.value("x_total", ["bot": "alpha"]) == "18446744073709551615")
        #expect(parsed.type("x_total") == "counter")
        #expect(parsed.helps["x_total"] == "A counter.")
    }

    @Test("a gauge goes out for each lane, with its highest value before the unit's suffix")
    func gauges() throws {
        let metrics = [
            gauge("x_usd", .real(-1.5), highest: .real(2.5), unit: .usd, lane: "a"),
            gauge("x_usd", .signed(.min), unit: .usd, lane: "b"), gauge("depth", .unsigned(3)),
        ]
        let parsed = try parse(snapshot([bot("alpha", metrics)]))
        #expect(parsed.value("x_usd", ["bot": "alpha", "lane": "a"]) == "-1.5")
        #expect(parsed.value("x_usd_max", ["bot": "alpha", "lane": "a"]) == "2.5")
        #expect(parsed.value("x_usd", ["bot": "alpha", "lane": "b"]) == "-9223372036854775808")
        #expect(parsed.value("depth", ["bot": "alpha"]) == "3")
        #expect(parsed.value("depth_max", ["bot": "alpha"]) == "3")
        #expect(parsed.type("x_usd") == "gauge" && parsed.type("x_usd_max") == "gauge")
    }

    @Test("the telemetry cost of a bot is that of its lanes together, and absent where none is known yet")
    func overhead() throws {
        var rings = [ring("a"), ring("b"), ring("c")]
        rings[0].recordOverheadRatio = 0.25
        rings[2].recordOverheadRatio = 0.5
        (rings[0].counterOverheadRatio, rings[1].counterOverheadRatio) = (0.125, 0.25)
        rings[1].longestReadGap = 1.5
        let parsed = try parse(snapshot([bot("alpha", rings: rings), bot("beta")]))
        #expect(parsed.value("ringside_emit_overhead_records_ratio", ["bot": "alpha"]) == "0.75")
        #expect(parsed.value("ringside_emit_overhead_records_ratio", ["bot": "beta"]) == nil)
        #expect(parsed.value("ringside_emit_overhead_counters_ratio", ["bot": "alpha"]) == "0.375")
        #expect(parsed.value("ringside_emit_overhead_counters_ratio", ["bot": "beta"]) == nil)
        #expect(parsed.value("ringside_longest_read_gap_seconds", ["bot": "alpha", "lane": "b"]) == "1.5")
        #expect(parsed.value("ringside_longest_read_gap_seconds", ["bot": "alpha", "lane": "a"]) == nil)
    }

    @Test("a level is 1, -1 or 0 with its statistic, and missing while it is not known")
    func levels() throws {
        var made = bot("alpha")
        made.levels = zip(LevelSnapshot.State.allCases, ["a", "b", "c", "d", "e"]).map { state, lane in
            LevelSnapshot(
                metric: "depth", labels: [Label("k", "v")], lane: lane, unit: .none, statistic: .value, state: state,
                sinceUnixSeconds: 0, value: 1, usual: nil, readings: 0, neededReadings: 30)
        }
        let parsed = try parse(snapshot([made]))
        let values = ["a", "b", "c", "d", "e"].map { lane in
            parsed.value(
                "ringside_unusual_level",
                ["bot": "alpha", "lane": lane, "metric": "depth", "statistic": "value", "label_k": "v"])
        }
        #expect(values == [nil, "0", "1", "-1", nil])
    }

    @Test("the collector shows its own work, and for each ring how far behind it is")
    func selfAccount() throws {
        var late = ring("a")
        (late.backlogMaximum, late.lag, late.worstRecentLag) = (77, 0.25, 1.5)
        var made = snapshot([bot("alpha", rings: [late, ring("b")])])
        made.collector.drainCycle = summary(count: 4, sum: 2, maximum: 9)
        made.collector.worstRecentCycle = 0.5
        made.collector.recordCost = 1e-8
        let parsed = try parse(made)
        #expect(parsed.value("ringside_drain_cycle_worst_seconds", [:]) == "9.0")
        #expect(parsed.value("ringside_drain_cycle_worst_recent_seconds", [:]) == "0.5")
        #expect(parsed.value("ringside_drain_record_cost_seconds", [:]) == "1e-08")
        let labels = ["bot": "alpha", "lane": "a"]
        #expect(parsed.value("ringside_backlog_records_max", labels) == "77")
        #expect(parsed.value("ringside_drain_lag_seconds", labels) == "0.25")
        #expect(parsed.value("ringside_drain_lag_worst_recent_seconds", labels) == "1.5")
        for name in ["ringside_backlog_records_max", "ringside_drain_lag_seconds"] {
            #expect(parsed.value(name, ["bot": "alpha", "lane": "b"]) == nil, "a ring that says nothing has no sample")
        }
    }

    @Test("a histogram has its buckets, sum, count and exact calls")
    func histograms() throws {
        let metric = histogram(
            "x_seconds", labels: [Label("side", "buy")], total: summary(count: 9, sum: 0.1),
            buckets: [(1.1920928955078125e-07, 0), (1, 4)])
        let parsed = try parse(snapshot([bot("alpha", [metric], labels: [Label("venue", "sim")])]))
        let labels = ["bot": "alpha", "side": "buy", "venue": "sim"]
        func bucket(_ edge: String) -> String? {
            parsed.value("x_seconds_bucket", labels.merging(["le": edge]) { $1 })
        }
        #expect(bucket("1.1920928955078125e-07") == "0")
        #expect(bucket("1.0") == "4")
        #expect(bucket("+Inf") == "9")
        #expect(parsed.value("x_seconds_sum", labels) == "0.1")
        #expect(parsed.value("x_seconds_count", labels) == "9")
        #expect(parsed.value("x_seconds_calls_total", labels) == "10")
        #expect(parsed.value("x_seconds_abandoned_total", labels) == "2")
        #expect(parsed.value("x_seconds_failed_total", labels) == "3")
        #expect(parsed.type("x_seconds") == "histogram" && parsed.type("x_seconds_calls_total") == "counter")
    }

    @Test("a histogram with negative values has no sum")
    func negatives() throws {
        let metric = histogram("x_bps", unit: .bps, total: summary(count: 1, sum: -1), hasNegatives: true)
        let parsed = try parse(snapshot([bot("alpha", [metric])]))
        #expect(parsed.value("x_bps_sum", ["bot": "alpha"]) == nil)
        #expect(parsed.value("x_bps_count", ["bot": "alpha"]) == "1")
    }

    @Test("windows are summaries without sum and count, and an empty window has no series")
    func windows() throws {
        let windows = [summary(count: 2, sum: 1), emptySummary, summary(count: 3, sum: 1)]
        let metrics = [histogram("x_seconds", windows: windows), histogram("y", unit: .none, windows: windows)]
        let parsed = try parse(snapshot([bot("alpha", metrics)]))
        let found = parsed.samples.filter { $0.name == "x_window_seconds" }
        #expect(Set(found.map { $0.labels["window"] }) == ["1s", "1m"])
        #expect(Set(found.map { $0.labels["quantile"] }) == ["0.5", "0.95", "0.99", "0.999"])
        #expect(found.count == 8)
        #expect(found.contains { $0.value == "2.0" && $0.labels["quantile"] == "0.5" })
        #expect(parsed.type("x_window_seconds") == "summary" && parsed.type("y_window") == "summary")
        #expect(!parsed.samples.contains { $0.name.hasPrefix("x_window_seconds_") })
    }

    @Test("labels and help are escaped so that they read back as they were")
    func escaping() throws {
        let hostile = "a\\b\"c\nd\\n"
        let metric = counter("x_total", .unsigned(1), labels: [Label("side", hostile)], help: hostile)
        let parsed = try parse(snapshot([bot("alpha", [metric])]))
        #expect(parsed.value("x_total", ["bot": "alpha", "side": hostile]) == "1")
        #expect(parsed.helps["x_total"] == "a\\\\b\"c\\nd\\\\n")
    }

    @Test("a label that the collector uses itself goes out as exported_, and a metric's label wins over a constant one")
    func labelClashes() throws {
        let metric = counter(
            "x_total", .unsigned(1), labels: [Label("bot", "b"), Label("le", "l"), Label("venue", "v")])
        let constants = [Label("lane", "c"), Label("venue", "lost")]
        let parsed = try parse(snapshot([bot("alpha", [metric], labels: constants)]))
        let expected = [
            "bot": "alpha", "exported_bot": "b", "exported_le": "l", "venue": "v", "exported_lane": "c",
        ]
        #expect(parsed.value("x_total", expected) == "1")
    }

    @Test("where two bots differ on a name's kind the first keeps it, and the other is reported")
    func kindClashes() throws {
        let families = Families(
            snapshot([bot("a", [gauge("x_total", .unsigned(1))]), bot("b", [counter("x_total", .unsigned(2))])]),
            process: nil)
        let parsed = try ParsedExposition(PrometheusText.render(families))
        #expect(parsed.type("x_total") == "gauge")
        #expect(parsed.value("x_total", ["bot": "b"]) == nil)
        #expect(families.leftOut == [LeftOutSeries(bot: "b", counter("x_total", .unsigned(2)), reason: .nameTaken)])
        #expect(parsed.value("ringside_left_out_series", ["bot": "a"]) == "0")
        #expect(parsed.value("ringside_left_out_series", ["bot": "b"]) == "1")
    }

    @Test("a registered name is never lost to one that is derived")
    func registeredFirst() throws {
        let bots = [bot("a", [gauge("x", .unsigned(1))]), bot("b", [counter("x_max", .unsigned(2))])]
        let parsed = try parse(snapshot(bots))
        #expect(parsed.type("x_max") == "counter")
        #expect(parsed.value("x_max", ["bot": "b"]) == "2")
        #expect(parsed.value("x_max", ["bot": "a"]) == nil)
    }

    @Test("no bot can take a name of the collector")
    func collectorFirst() throws {
        let parsed = try parse(snapshot([bot("a", [histogram("ringside_up"), gauge("ringside_up", .unsigned(7))])]))
        #expect(parsed.type("ringside_up") == "gauge")
        #expect(parsed.value("ringside_up", ["bot": "a"]) == "1")
        #expect(parsed.value("ringside_left_out_series", ["bot": "a"]) == "2")
    }

    @Test("the collector accounts for every record of each ring, every reason for loss included")
    func ringSeries() throws {
        let rings = [ring(lost: [.lapped: 3]), ring("md", age: nil)]
        let parsed = try parse(snapshot([bot("a", rings: rings), bot("b", isUp: false, rings: [])]))
        #expect(parsed.value("ringside_up", ["bot": "b"]) == "0")
        #expect(parsed.value("ringside_last_record_age_seconds", ["bot": "a"]) == "0.25")
        #expect(parsed.value("ringside_last_record_age_seconds", ["bot": "a", "lane": "md"]) == nil)
        #expect(parsed.value("ringside_records_total", ["bot": "a", "lane": "md"]) == "80")
        #expect(parsed.value("ringside_backlog_records", ["bot": "a"]) == "15")
        #expect(parsed.value("ringside_refused_metrics", ["bot": "a"]) == "3")
        #expect(parsed.value("ringside_misdated_records_total", ["bot": "a", "reason": "late"]) == "4")
        #expect(parsed.value("ringside_misdated_records_total", ["bot": "a", "reason": "future"]) == "6")
        #expect(parsed.value("ringside_window_incomplete", ["bot": "a", "window": "1m"]) == "1")
        #expect(parsed.value("ringside_window_incomplete", ["bot": "a", "window": "5s"]) == "0")
        for reason in LossReason.allCases {
            let value = parsed.value("ringside_lost_records_total", ["bot": "a", "reason": reason.rawValue])
            #expect(value == (reason == .lapped ? "3" : "0"))
        }
    }

    @Test("the collector shows its version and its own cost")
    func collectorSeries() throws {
        let process = ProcessStatistics(
            cpuSeconds: 1.5, openDescriptors: 7, maximumDescriptors: 1024, virtualBytes: 9, residentBytes: 8,
            startSeconds: 1.7e9, threads: 3)
        let parsed = try parse(snapshot([]), process: process)
        #expect(parsed.value("ringside_build_info", ["version": "1.2.3"]) == "1")
        #expect(parsed.value("ringside_clock_drift_ratio", ["source": "tsc"]) == "-2.5e-07")
        #expect(parsed.value("ringside_clock_steps_total", [:]) == "2")
        #expect(parsed.value("ringside_clock_last_step_seconds", [:]) == "-0.5")
        #expect(parsed.value("ringside_clock_suspends_total", [:]) == "1")
        #expect(parsed.value("ringside_clock_suspended_seconds_total", [:]) == "60.0")
        #expect(parsed.value("ringside_clock_tick_jumps_total", [:]) == "3")
        #expect(parsed.value("ringside_drain_cycle_seconds_count", [:]) == "9")
        #expect(parsed.value("ringside_drain_cycle_seconds", ["quantile": "0.5"]) == "2.0")
        #expect(parsed.value("process_cpu_seconds_total", [:]) == "1.5")
        #expect(parsed.value("process_start_time_seconds", [:]) == "1700000000.0")
        #expect(parsed.value("process_threads", [:]) == "3")
    }

    @Test("whatever bots register, the exposition is well formed", arguments: 0..<100)
    func hostile(seed: UInt64) throws {
        let parsed = try parse(hostileSnapshot(seed: seed))
        let keys = parsed.samples.map { ParsedExposition.Sample(name: $0.name, labels: $0.labels, value: "") }
        #expect(Set(keys).count == keys.count, "a series stands twice")
        for (sample, family) in zip(parsed.samples, parsed.families) {
            let type = try #require(parsed.type(family))
            let suffixes =
                type == "histogram"
                ? ["_bucket", "_sum", "_count"] : type == "summary" ? ["", "_sum", "_count"] : [""]
            #expect(suffixes.contains { sample.name == family + $0 }, "\(sample) stands under \(family)")
            if sample.name != family { #expect(parsed.type(sample.name) == nil) }
        }
    }
}

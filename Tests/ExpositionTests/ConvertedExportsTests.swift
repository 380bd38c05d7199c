import Rules
import Series
import Sketch
import TestSupport
import Testing

@testable import Exposition

/// Tests series that rules show in another unit. They are read back from every export beside the same series as
/// registered.
@Suite struct ConvertedExportsTests {
    private static let second: Int64 = 1_000_000_000
    /// Registered name, unit and kind, the name by the rules, and the factor of the values.
    private static let renames: [(name: String, unit: MetricUnit, kind: MetricKind, shown: String, factor: Double)] = [
        ("order_seconds", .seconds, .histogram, "order_latency_us", 1e6),
        ("message_bytes", .bytes, .histogram, "message_kib", 1.0 / 1024),
        ("busy_seconds_total", .seconds, .counter, "busy_ms_total", 1e3),
        ("fill_ratio", .ratio, .gauge, "fill_percent", 100),
        ("held_bytes", .bytes, .upDownCounter, "held_kib", 1.0 / 1024),
    ]
    /// The error of a bucket of the sketch, as the pages state it.
    private static let error = 0.0055

    /// Returns a snapshot as registered, the same converted, and the values of each histogram.
    private func snapshots(seed: UInt64) throws -> (plain: Snapshot, converted: Snapshot, values: [String: [Double]]) {
        var random = SplitMix(state: seed)
        let series = BotSeries(name: "alpha", options: SeriesOptions(), now: 0)
        let lane = series.lane("")
        lane.ringCreatedUnixSeconds = 1_700_000_000.25
        lane.beginLife()
        lane.isUp = true
        var values: [String: [Double]] = [:]
        for (name, unit, kind, _, _) in Self.renames {
            let metric = MetricDescriptor(
                name: name, help: "Help.", kind: kind, unit: unit, labels: [Label("venue", "X")])
            let instrument = try #require(lane.register(metric, isCurrent: true))
            let amount = Double.random(in: 1...9, using: &random)
            switch kind {
            case .counter, .upDownCounter: instrument.sample(total: .real(amount), wasWatched: true)
            case .gauge: instrument.sample(gauge: (.real(amount), .real(amount * 2)), now: 0, options: series.options)
            case .histogram:
                for record in 1...300 {
                    let nanoseconds = Double(Int.random(in: 1...90_000_000, using: &random))
                    let value = unit == .seconds ? nanoseconds / 1e9 : nanoseconds
                    instrument.recorder?.records.insert(value: value, timeNanoseconds: Self.second / 2, weight: 1)
                    instrument.watch?.recorder.pointee.count(value: value, weight: 1)
                    instrument.note(exemplar: value, time: Int64(record), traceID: TraceID(record))
                    values[name, default: []].append(value)
                }
                instrument.sample(calls: 301, abandoned: 1)
            }
        }
        let rules = MetricRules(Self.renames.map { MetricRule(match: Glob($0.name), rename: $0.shown) })
        func shown(_ metrics: [MetricSnapshot]) -> Snapshot { snapshot([bot("alpha", metrics)]) }
        return (
            shown(series.metrics(now: Self.second)),
            shown(series.metrics(now: Self.second, as: rules.plan(series.heads))), values
        )
    }

    private func isClose(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= 8 * max(a.magnitude, b.magnitude).ulp }

    /// Returns the name and factor on the converted page for a sample of the plain page; nil if no bot has it.
    private func converted(_ name: String) -> (name: String, factor: Double, isEdged: Bool)? {
        for rename in Self.renames {
            let unit = "_\(rename.unit.rawValue)"
            let isCounter = rename.kind == .counter
            let stem = rename.name.split(separator: unit).first.map(String.init)!
            let shownStem = rename.shown.split(separator: "_").dropLast(isCounter ? 2 : 1).joined(separator: "_")
            let shownUnit = String(rename.shown.dropFirst(shownStem.count))
            switch name {
            case rename.name: return (rename.shown, rename.factor, false)
            case "\(stem)_window\(unit)": return ("\(shownStem)_window\(shownUnit)", rename.factor, false)
            case "\(rename.name)_sum", "\(rename.name)_max":
                return (rename.shown + name.suffix(4), rename.factor, false)
            case "\(rename.name)_bucket": return ("\(rename.shown)_bucket", 1, true)
            case _ where name.hasPrefix(rename.name):
                return (rename.shown + name.dropFirst(rename.name.count), 1, false)
            default: continue
            }
        }
        return nil
    }

    private func edgeFactor(_ name: String) -> Double {
        Self.renames.first { name.hasPrefix($0.name) }?.factor ?? .nan
    }

    @Test(
        "text shows every sample of the plain page under the new name, times the factor, with edges times it too",
        arguments: 0..<8)
    func text(seed: UInt64) throws {
        let (plain, shown, _) = try snapshots(seed: seed)
        let pages = try [plain, shown].map {
            try ParsedExposition(PrometheusText.render(Families($0, process: nil, showsCollector: false)))
        }
        #expect(pages[0].samples.count == pages[1].samples.count && pages[0].samples.count > 60)
        for (before, after) in zip(pages[0].samples, pages[1].samples) {
            guard let wanted = converted(before.name) else {
                #expect(before.name.hasPrefix("ringside_") && before == after)
                continue
            }
            #expect(after.name == wanted.name)
            var (labels, shownLabels) = (before.labels, after.labels)
            let (edge, shownEdge) = (labels.removeValue(forKey: "le"), shownLabels.removeValue(forKey: "le"))
            #expect(labels == shownLabels)
            if wanted.isEdged, edge != "+Inf" {
                let factor = edgeFactor(before.name)
                #expect(isClose(try #require(Double(edge!)) * factor, try #require(Double(shownEdge!))))
            } else {
                #expect(edge == shownEdge)
            }
            #expect(isClose(Double(before.value)! * wanted.factor, Double(after.value)!), "\(before) \(after)")
        }
        #expect(pages[1].type("order_latency_us") == "histogram" && pages[1].type("order_seconds") == nil)
        let help = "Help. Converted from seconds: multiplied by 1000000."
        #expect(pages[1].helps["order_latency_us"] == help && pages[0].helps["order_seconds"] == "Help.")
        #expect(pages[1].helps["message_kib"] == "Help. Converted from bytes: divided by 1024.")
        // The digits are those of the chosen edges.
        let edges = pages[1].samples.filter { $0.name == "order_latency_us_bucket" }.compactMap { $0.labels["le"] }
        #expect(edges.prefix(4) == ["0.1", "0.25", "0.5", "1.0"] && edges.contains("2500.0"))
    }

    @Test("OpenMetrics declares the unit of the new name, and Prometheus' own readers find the same in each form of it")
    func judged() throws {
        let folder = TemporaryRingDirectory(under: "/tmp")
        for seed in 0..<8 {
            let families = Families(try snapshots(seed: UInt64(seed)).converted, process: nil)
            for (format, suffix) in [(ExpositionFormat.text, "txt"), (.openMetrics, "om"), (.protobuf, "pb")] {
                let options = NativeHistogramOptions(schema: 7 - seed, bucketLimit: nil)
                RingFile.make("\(folder.path)/converted\(seed).\(suffix)", format.render(families, histograms: options))
            }
        }
        let judge = "\(packageFolder)/Tests/ExpositionTests/Judges/pages.py"
        let child = try ChildProcess([Python.path, judge, folder.path])
        #expect(try child.wait(limitSeconds: 300) == .code(0), "\(child.standardError)")
        #expect(child.standardOutput == "8 pages agree\n")
        let page = String(
            decoding: OpenMetricsText.render(Families(try snapshots(seed: 1).converted, process: nil)), as: UTF8.self)
        for unit in ["order_latency_us us", "message_kib kib", "busy_ms ms", "fill_percent percent", "held_kib kib"] {
            #expect(page.contains("# UNIT \(unit)\n"))
        }
        #expect(page.contains("# UNIT order_latency_window_us us\n") && !page.contains("seconds_bucket{bot=\"alpha\""))
    }

    @Test(
        "OTLP has the unit's code, and its histogram holds each value no further off than is stated", arguments: 0..<4)
    func otlp(seed: UInt64) throws {
        let (plain, shown, values) = try snapshots(seed: seed)
        var options = OTLPOptions()
        options.bucketLimit = nil
        let points: [[OTLPPoint]] = try [plain, shown].map { snapshot in
            var sent = OTLPSentSeries()
            return try Decoded.otlpMetrics(
                OTLPMetrics.requests(
                    Families(snapshot, process: nil), of: snapshot, labels: [],
                    options: options, sent: &sent))
        }
        let codes = ["us", "KiBy", "ms", "%", "KiBy"]
        for (rename, code) in zip(Self.renames, codes) {
            let before = try #require(points[0].first { $0.name == rename.name })
            let after = try #require(points[1].first { $0.name == rename.shown })
            #expect(after.unit == code && after.form == before.form && after.start == before.start)
            if let value = before.value {
                #expect(isClose(Double(value)! * rename.factor, Double(after.value!)!))
                continue
            }
            for (one, other) in [
                (before.sum, after.sum), (before.minimum, after.minimum), (before.maximum, after.maximum),
            ] { #expect(isClose(try #require(one) * rename.factor, try #require(other))) }
            let exemplars = (before.exemplars ?? [], after.exemplars ?? [])
            #expect(exemplars.0.map(\.traceID) == exemplars.1.map(\.traceID) && !exemplars.0.isEmpty)
            for (one, other) in zip(exemplars.0, exemplars.1) {
                #expect(isClose(one.value * rename.factor, other.value))
            }
            #expect(after.count == before.count && after.scale == 7)
            let buckets = try #require(after.positive)
            expectHeld(
                buckets.counts.enumerated().map { (buckets.offset + $0 + 1, $1) }, values[rename.name]!, rename.factor)
        }
    }

    /// Expects each of the values, in their order, in its bucket of schema 7, or no further away than stated.
    private func expectHeld(_ buckets: [(index: Int, count: UInt64)], _ values: [Double], _ factor: Double) {
        let held = buckets.flatMap { Array(repeating: $0.index, count: Int($0.count)) }
        #expect(held.count == values.count)
        for (index, value) in zip(held, values.sorted()) {
            let middle = BucketEdges.midpoint(ofBucket: index)
            #expect(abs(middle / (value * factor) - 1) < Self.error, "\(value)")
        }
    }

    @Test("remote write sends the same native histogram, and sums and totals times the factor", arguments: 0..<4)
    func remoteWrite(seed: UInt64) throws {
        let (plain, shown, values) = try snapshots(seed: seed)
        var options = RemoteWriteOptions()
        options.schema = 7
        let series: [[RemoteSeries]] = try [plain, shown].map { snapshot in
            var encoder = RemoteWrite(labels: [], options: options)
            let requests = encoder.requests(
                Families(snapshot, process: nil, showsCollector: false), unixNanoseconds: Self.second)
            return try Decoded.remoteWrite(requests.map { Snappy.compress($0) })
        }
        #expect(series[0].count == series[1].count)
        for rename in Self.renames {
            let before = try #require(series[0].first { $0.name == rename.name })
            let after = try #require(series[1].first { $0.name == rename.shown })
            guard let histogram = after.histograms.first else {
                #expect(isClose(before.samples[0].value * rename.factor, after.samples[0].value))
                continue
            }
            #expect(histogram.schema == 7 && histogram.count == before.histograms[0].count)
            #expect(isClose(before.histograms[0].sum * rename.factor, histogram.sum))
            var (index, count, place) = (0, Int64(0), 0)
            var buckets: [(Int, UInt64)] = []
            for span in histogram.positiveSpans {
                index += span[0]
                for _ in 0..<span[1] {
                    count += histogram.positiveDeltas[place]
                    buckets.append((index, UInt64(count)))
                    (index, place) = (index + 1, place + 1)
                }
            }
            expectHeld(buckets, values[rename.name]!, rename.factor)
        }
    }

    @Test("the line protocol has every field of a value times the factor, and every count as it was", arguments: 0..<4)
    func lineProtocol(seed: UInt64) throws {
        let (plain, shown, _) = try snapshots(seed: seed)
        let pages = try [plain, shown].map { snapshot in
            try LineProtocol.batches(snapshot, labels: [], process: nil, sendsCollector: false)
                .flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n") }.map { try #require(Line($0)) }
        }
        let counts: Set = ["count", "calls", "failed", "abandoned", "lost", "complete"]
        #expect(pages[0].count == pages[1].count && pages[0].count > 5)
        for (before, after) in zip(pages[0], pages[1]) {
            let wanted = try #require(converted(before.measurement))
            #expect(after.measurement == wanted.name && before.fields.keys == after.fields.keys)
            for (field, value) in before.fields {
                let isWindow = before.measurement.contains("_window")
                if counts.contains(field) || isWindow && field == "rate" {
                    #expect(after.fields[field] == value)
                } else {
                    let number = try #require(Double(after.fields[field]!))
                    #expect(
                        isClose(try #require(Double(value)) * wanted.factor, number), "\(before.measurement) \(field)")
                }
            }
        }
    }

    @Test("/latest has the new name, its unit and the converted values")
    func latest() throws {
        let (_, shown, _) = try snapshots(seed: 5)
        let page = String(decoding: LatestJSON.render(shown), as: UTF8.self)
        #expect(page.contains(#""name":"order_latency_us","kind":"histogram","unit":"us""#))
        let held = try #require(shown.bots[0].metrics.first { $0.name == "held_kib" })
        guard case .upDownCounter(let counter) = held.reading else { throw Missing() }
        #expect(
            page.contains(
                #""name":"held_kib","kind":"up_down_counter","unit":"kib","labels":{"venue":"X"},"value":\#(counter.value.double)"#
            ))
    }

    private struct Missing: Error {}

    @Test(
        "a series whose unit does not fit is in no export, counted, named in /health with what to do, and makes it degraded"
    )
    func refused() throws {
        let rules = MetricRules([
            MetricRule(match: Glob("fees_*"), rename: "fees_us"), MetricRule(match: Glob("old_*"), drop: true),
        ])
        let heads = ["fees_usd", "old_bytes"].enumerated().map {
            SeriesHead(
                key: SeriesKey(name: $1, labels: [Label("venue", "X")]), kind: .gauge, unit: $0 == 0 ? .usd : .bytes,
                ordinal: UInt64($0))
        }
        let plan = rules.plan(heads)
        var owner = bot("alpha")
        (owner.hiddenSeries, owner.unconvertedSeries) = (plan.hidden, plan.unconverted)
        let shown = snapshot([owner, bot("beta")])
        let families = Families(shown, process: nil)
        let page = try ParsedExposition(PrometheusText.render(families))
        #expect(page.value("ringside_left_out_series", ["bot": "alpha"]) == "1")
        #expect(page.value("ringside_left_out_series", ["bot": "beta"]) == "0")
        for (reason, count) in [("unit", "1"), ("drop", "1"), ("keep", "0")] {
            #expect(page.value("ringside_hidden_series", ["bot": "alpha", "reason": reason]) == count)
            #expect(page.value("ringside_hidden_series", ["bot": "beta", "reason": reason]) == nil)
        }
        #expect(
            families.leftOut.map(\.description) == [
                "fees_usd{venue=\"X\"} of bot alpha is left out of every export: a rule renames it to fees_us, and it is in usd, which cannot be converted into us; give the rule a scale, or a name without _us"
            ])
        let health = String(decoding: HealthJSON.render(shown), as: UTF8.self)
        #expect(
            health.contains(#""status":"degraded""#)
                && health.contains(
                    "unconverted_series: no export has 1 series, such as fees_usd of bot alpha: a rule renames")
        )
        #expect(health.contains(#""hidden_series":{"drop":1,"keep":0,"unit":1}"#))
        #expect(
            health.contains(
                #""unconverted_series":[{"metric":"fees_usd","labels":{"venue":"X"},"reason":"a rule renames"#))
        let whole = String(decoding: HealthJSON.render(snapshot([bot("beta")])), as: UTF8.self)
        #expect(whole.contains(#""status":"ok""#) && !whole.contains("hidden_series"))
    }
}

import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEndWithPeers {
    @Suite("One run, every export") struct OneRun {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")
        private static let metric = "strategy_signal_generation_seconds"

        /// One export's figures of the series.
        private struct Reading {
            let export: String
            let count: Double
            let sum: Double
            /// The range of p99, as far as the export's resolution allows.
            let p99: ClosedRange<Double>
        }

        @Test("count, sum and p99 of one series agree across all of them, and with the bot's measurements")
        func agreement() throws {
            let receivers = try (influxDB: HTTPReceiver(), otlp: HTTPReceiver(), remote: HTTPReceiver())
            try write(
                """
                { exports: {
                  influxdb: [{ url: "\(receivers.influxDB.url)", database: "d", interval: "500ms", gzip: false, batch_lines: 100000 }],
                  otlp: [{ url: "\(receivers.otlp.url)", interval: "500ms", gzip: false, batch_points: 100000 }],
                  remote_write: [{ url: "\(receivers.remote.url)", interval: "500ms", batch_series: 100000 }],
                } }
                """, to: "\(files.path)/ringside.json5")
            let begun = time(nil)
            let daemon = try Daemon(
                rings, ["--config", "\(files.path)/ringside.json5", "--state-dir", "\(files.path)/state"])
            let demo = try Demo(
                rings, ["--rate", "5000", "--duration", "4", "--linger", "600"], keepsValues: true)
            let report = try demo.report().ring("demo1")
            _ = try daemon.latestWhenDrained()
            let pulled = try [
                json(daemon), text(daemon),
                negotiated(daemon, "openmetrics", "application/openmetrics-text; version=1.0.0"),
                negotiated(
                    daemon, "protobuf",
                    "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"),
                history(daemon, from: begun),
            ]
            #expect(try daemon.process.end() == .code(0))
            let pushed = try [
                lineProtocol(#require(receivers.influxDB.taken.last)), otlp(#require(receivers.otlp.taken.last)),
                remoteWrite(#require(receivers.remote.taken.last)),
            ]
            #expect(try demo.process.end() == .code(0))

            let reported = try #require(report.metrics.first { $0.name == Self.metric })
            let count = try Double(#require(reported.count))
            let sum = try #require(reported.sum)
            let exact = try #require(demo.exactValues().first { $0.key.name == Self.metric }?.value)
            #expect(count > 1000 && Double(exact.count) == count)
            let p99 = exact.quantile(0.99)
            for reading in pulled + pushed {
                #expect(reading.count == count, "\(reading.export)")
                #expect(abs(reading.sum - sum) <= 1e-5 * sum, "\(reading.export)")
                #expect(reading.p99.contains(p99), "\(reading.export): \(reading.p99) without \(p99)")
            }
            // They show one sketch, so they have the same sum, except the history, which adds it up by minutes.
            for reading in pulled + pushed {
                #expect(abs(reading.sum - pulled[0].sum) <= 1e-12 * sum, "\(reading.export)")
            }
        }

        /// Returns the range of the error of the sketch, or of a coarser one.
        private func about(_ value: Double, error: Double = 0.00271) -> ClosedRange<Double> {
            value * (1 - error)...value * (1 + error)
        }

        private func json(_ daemon: Daemon) throws -> Reading {
            let metric = try #require(daemon.latest().bots[0].metric(Self.metric))
            return try Reading(
                export: "/latest", count: Double(#require(metric.count)), sum: #require(metric.sum),
                p99: about(#require(metric.p99)))
        }

        private func text(_ daemon: Daemon) throws -> Reading {
            let samples = try daemon.metrics().samples.filter { $0.labels["bot"] == "demo1" }
            func one(_ name: String) throws -> Double { try #require(samples.first { $0.name == name }).value }
            let count = try one("\(Self.metric)_count")
            let buckets = samples.filter { $0.name == "\(Self.metric)_bucket" }
                .compactMap { sample in
                    sample.labels["le"].flatMap { Double($0) }.map { (edge: $0, count: sample.value) }
                }
                .sorted { $0.edge < $1.edge }
            let place = try #require(buckets.firstIndex { $0.count >= (0.99 * count).rounded(.up) })
            return try Reading(
                export: "text", count: count, sum: one("\(Self.metric)_sum"),
                p99: (place == 0 ? 0 : buckets[place - 1].edge)...buckets[place].edge)
        }

        /// Reads a page in another form with an independent library.
        private func negotiated(_ daemon: Daemon, _ form: String, _ type: String) throws -> Reading {
            struct Answer: Decodable {
                let count, sum, low, high: Double
            }
            let page = try HTTPClient.request("/metrics", port: daemon.port, headers: ["Accept": type])
            #expect(page.status == 200 && page.headers["content-type"]?.hasPrefix(type.prefix { $0 != ";" }) == true)
            RingFile.make("\(files.path)/page", page.body)
            defer { unlink("\(files.path)/page") }
            let answer: Answer = try Python.run(
                "\(packageFolder)/Tests/ExpositionTests/Judges/one_series.py",
                [form, "\(files.path)/page", Self.metric, "demo1"])
            // A value on an edge is in one bucket or the other, by a rounding of the logarithm.
            return Reading(
                export: form, count: answer.count, sum: answer.sum,
                p99: answer.low * (1 - 1e-12)...answer.high * (1 + 1e-12))
        }

        private func history(_ daemon: Daemon, from begun: time_t) throws -> Reading {
            struct Answer: Decodable {
                let series: [Series]
                struct Series: Decodable { let points: [Point] }
                struct Point: Decodable {
                    let count: Double
                    let sum: Double?
                    let p99: Double?
                }
            }
            // One step holds the whole run.
            let range = "from=\(begun)&to=\(time(nil) + 60)&step=1h"
            let body = try daemon.get("/stats/history?metric=\(Self.metric)&bot=demo1&\(range)").body
            let points = try JSONDecoder().decode(Answer.self, from: Data(body)).series.flatMap(\.points)
            let point = try #require(points.first)
            #expect(points.count == 1)
            return try Reading(
                export: "history", count: point.count, sum: #require(point.sum), p99: about(#require(point.p99)))
        }

        private func lineProtocol(_ request: HTTPReceiver.Request) throws -> Reading {
            let line = try #require(request.text.split(separator: "\n").first { $0.hasPrefix(Self.metric + ",") })
            // No value of the demo has a blank in it.
            let words = line.split(separator: " ")[1].split(separator: ",").map { $0.split(separator: "=") }
            let fields = Dictionary(uniqueKeysWithValues: words.map { (String($0[0]), $0[1]) })
            func field(_ name: String) throws -> Double {
                let word = try #require(fields[name])
                return try #require(Double(word.last == "i" ? word.dropLast() : word))
            }
            return try Reading(
                export: "line protocol", count: field("count"), sum: field("sum"), p99: about(field("p99")))
        }

        private func decode<Answer: Decodable>(_ form: String, _ body: [UInt8]) throws -> [Answer] {
            let length = withUnsafeBytes(of: UInt64(body.count).littleEndian) { Array($0) }
            RingFile.make("\(files.path)/body", length + body)
            defer { unlink("\(files.path)/body") }
            return try Python.run(
                "\(packageFolder)/Tests/ExpositionTests/Python/decode.py", [form, "\(files.path)/body"])
        }

        /// Returns the bucket that holds a quantile, from ascending buckets.
        private func bucket(_ quantile: Double, _ counts: [Double], first: Int, scale: Int) -> ClosedRange<Double> {
            var rest = (quantile * counts.reduce(0, +)).rounded(.up)
            let place = counts.firstIndex {
                rest -= $0
                return rest <= 0
            }
            func edge(_ index: Int) -> Double { exp2(Double(index) / exp2(Double(scale))) }
            let index = first + (place ?? counts.count)
            // A value on an edge is in one bucket or the other, by a rounding of the logarithm.
            return edge(index) * (1 - 1e-12)...edge(index + 1) * (1 + 1e-12)
        }

        private func otlp(_ request: HTTPReceiver.Request) throws -> Reading {
            struct Point: Decodable {
                let name: String
                let count, sum: Double?
                let scale: Int?
                let zeros: Double?
                let positive: Buckets?
                struct Buckets: Decodable {
                    let offset: Int
                    let counts: [Double]
                }
            }
            let points: [Point] = try decode("otlp-metrics", request.body)
            let point = try #require(points.first { $0.name == Self.metric })
            let (positive, scale) = try (#require(point.positive), #require(point.scale))
            #expect(point.zeros == 0 && positive.counts.count <= 160)
            return try Reading(
                export: "OTLP", count: #require(point.count), sum: #require(point.sum),
                p99: bucket(0.99, positive.counts, first: positive.offset, scale: scale))
        }

        private func remoteWrite(_ request: HTTPReceiver.Request) throws -> Reading {
            struct Series: Decodable {
                let labels: [[String]]
                let histograms: [Histogram]
                struct Histogram: Decodable {
                    let count: Double
                    let sumBits: UInt64
                    let schema: Int
                    let positiveSpans: [[Int]]
                    let positiveDeltas: [Double]
                }
            }
            let series: [Series] = try decode("remote-write", request.body)
            let found = series.first { $0.labels.contains(["__name__", Self.metric]) }?.histograms.first
            let histogram = try #require(found)
            var (counts, last): ([Double], Double) = ([], 0)
            var deltas = histogram.positiveDeltas[...]
            let first = histogram.positiveSpans[0][0]
            for span in histogram.positiveSpans {
                if !counts.isEmpty { counts += [Double](repeating: 0, count: span[0]) }
                for _ in 0..<span[1] {
                    last += deltas.removeFirst()
                    counts.append(last)
                }
            }
            #expect(histogram.schema == 6)
            // Prometheus numbers a bucket by its upper edge.
            return Reading(
                export: "remote write", count: histogram.count, sum: Double(bitPattern: histogram.sumBits),
                p99: bucket(0.99, counts, first: first - 1, scale: histogram.schema))
        }
    }
}

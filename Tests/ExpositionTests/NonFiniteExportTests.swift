import FoundationEssentials
import Series
import Testing

@testable import Exposition

/// Tests infinite values, and labels that Unicode calls equivalent, in every form of export.
@Suite struct NonFiniteExportTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    private func families(_ metrics: [MetricSnapshot]) -> Families {
        Families(snapshot([bot("alpha", metrics)]), process: nil)
    }

    private var infinite: [MetricSnapshot] {
        [
            gauge("depth", .real(.infinity)), counter("spent_total", .real(.infinity)),
            histogram("size", unit: .none, total: summary(count: 3, sum: .infinity, minimum: -1, maximum: .infinity)),
        ]
    }

    @Test("texts and protobuf say +Inf")
    func texts() throws {
        for format in [ExpositionFormat.text, .openMetrics] {
            let text = String(decoding: format.render(families(infinite), histograms: .standard), as: UTF8.self)
            for line in [
                "depth{bot=\"alpha\"} +Inf\n", "depth_max{bot=\"alpha\"} +Inf\n", "spent_total{bot=\"alpha\"} +Inf\n",
                "size_sum{bot=\"alpha\"} +Inf\n",
            ] { #expect(text.contains(line), "\(line) in \(format)") }
            #expect(!text.contains("e+308") && !text.contains("e308"))
        }
    }

    @Test("OTLP and remote write carry infinities as doubles")
    func binary() throws {
        var sent = OTLPSentSeries()
        let moment = snapshot([bot("alpha", infinite)])
        let points = try Decoded.otlpMetrics(
            OTLPMetrics.requests(families(Array(infinite.prefix(2))), of: moment, labels: [], sent: &sent))
        for name in ["depth", "depth_max", "spent_total"] {
            #expect(points.first { $0.name == name }?.value.flatMap(Double.init) == .infinity, "\(name)")
        }
        var writer = RemoteWrite(labels: [])
        let series = try Decoded.remoteWrite(
            writer.requests(families(infinite), unixNanoseconds: 1_700_000_000_000_000_000).map { Snappy.compress($0) })
        for name in ["depth", "depth_max", "spent_total"] {
            #expect(series.first { $0.name == name }?.samples.first?.value == .infinity, "\(name)")
        }
        #expect(series.compactMap(\.histograms.first).contains { $0.sum == .infinity })
    }

    @Test("JSON has null for them, with their text beside it")
    func json() throws {
        let bytes = LatestJSON.render(snapshot([bot("alpha", infinite + [gauge("none", .real(-.infinity))])]))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("\"value\":null,\"value_text\":\"+Inf\""))
        #expect(text.contains("\"value\":null,\"value_text\":\"-Inf\""))
        #expect(text.contains("\"sum\":null,\"sum_text\":\"+Inf\""))
        #expect(text.contains("\"max\":null,\"max_text\":\"+Inf\""))
        _ = try JSONDecoder().decode(Latest.self, from: Data(bytes))
    }

    private struct Latest: Decodable { let time: Double }

    @Test("labels that differ in their bytes alone are two series in every form")
    func bytes() throws {
        let metrics = [(composed, UInt64(100)), (decomposed, 55)].flatMap { venue, value in
            [
                counter("fills_total", .unsigned(value), labels: [Label("venue", venue)]),
                gauge("depth", .unsigned(value), labels: [Label("venue", venue)]),
            ]
        }
        let all = families(metrics)
        #expect(all.leftOut.isEmpty)
        for format in [ExpositionFormat.text, .openMetrics] {
            let page = format.render(all, histograms: .standard)
            for (venue, value) in [(composed, 100), (decomposed, 55)] {
                let line = Array("fills_total{bot=\"alpha\",venue=\"\(venue)\"} \(value)\n".utf8)
                #expect(page.contains(line))
            }
        }
        #expect(all.all.first { $0.name == "fills_total" }?.series.count == 2)
        let moment = snapshot([bot("alpha", metrics)])
        let lines = LineProtocol.batches(moment, labels: [], process: nil, sendsCollector: false).joined()
        for venue in [composed, decomposed] { #expect(Array(lines).contains(Array("venue=\(venue) ".utf8))) }
        var sent = OTLPSentSeries()
        let points = try Decoded.otlpMetrics(OTLPMetrics.requests(all, of: moment, labels: [], sent: &sent))
        let values = points.filter { $0.name == "fills_total" }.compactMap { point in
            point.attributes["venue"].map { "\($0.utf8.count) \(point.value ?? "")" }
        }
        #expect(Set(values) == ["5 100", "6 55"])
        // One of them ends. Its end is reported, though the other goes on.
        let rest = families([metrics[0]])
        let ended = try Decoded.otlpMetrics(OTLPMetrics.requests(rest, of: moment, labels: [], sent: &sent))
        #expect(
            ended.filter { $0.name == "fills_total" && $0.flags == 1 }.map { $0.attributes["venue"]?.utf8.count } == [6]
        )
        var writer = RemoteWrite(labels: [])
        let series = try Decoded.remoteWrite(
            writer.requests(all, unixNanoseconds: 1_700_000_000_000_000_000).map { Snappy.compress($0) })
        #expect(series.filter { $0.name == "fills_total" }.compactMap(\.samples.first?.value).sorted() == [55, 100])
    }

    @Test("the message about a series that is left out names it, and the one to register under another name")
    func leftOut() throws {
        let (taken, maximum) = (gauge("x", .unsigned(1), labels: [Label("venue", "a")]), gauge("x_max", .unsigned(2)))
        let derived = families([taken, maximum]).leftOut
        #expect(derived.count == 1)
        let text = try #require(derived.first).description
        #expect(text.hasPrefix("x_max{venue=\"a\"} of bot alpha, which comes with x, is left out"))
        #expect(text.hasSuffix("register x under another name"))
        let twins = ["a", "b"].flatMap { lane in
            [gauge("y", .unsigned(1), lane: lane), gauge("y", .unsigned(2), lane: lane)]
        }
        let said = families(twins).leftOut.map(\.description)
        #expect(said.count == 2 && Set(said).count == 2)
        #expect(said[0].hasPrefix("y{lane=\"a\"} of bot alpha is left out"))
    }
}

extension [UInt8] {
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        count >= part.count && (0...count - part.count).contains { self[$0..<$0 + part.count].elementsEqual(part) }
    }
}

import Testing

private struct CollectorReport: Decodable {
    struct Point: Decodable {
        let records_per_second, cpu_share, scrape_ms: Double
        let series, rss_anon_bytes, pss_bytes, scrape_bytes, drained, lost: Int
    }
    let by_rate, by_series: [Point]
}

private struct TwoProcessReport: Decodable {
    struct Visible: Decodable {
        let p50, p90, p99, greatest: Double
        let trials: Int
    }
    struct Rate: Decodable {
        let wanted: Double?
        let records_per_second: Double
        let written, drained, lost: Int
    }
    let visible_ms: Visible
    let sustainable_records_per_second: Double?
    let rates: [Rate]
}

private struct BotReport: Decodable {
    struct Mode: Decodable {
        let telemetry: String
        let ns_per_message, added_ns: Double
    }
    let modes: [Mode]
    let calls_ns_per_message, added_to_calls_ratio: Double
}

private struct MemoryReport: Decodable {
    struct Point: Decodable { let minutes, rss_anon_bytes, scrapes, drained, lost: Int }
    let points: [Point]
    let records_per_second: Int
}

extension Bench {
    @Suite struct Processes {
        @Test("bot runs a whole bot with more and less telemetry, and sums up the cost of its calls")
        func bot() throws {
            let report = try Bench.quick(["bot", "--rounds", "1", "--seconds", "0.3"], as: BotReport.self)
            #expect(report.modes.map(\.telemetry) == ["absent", "disabled", "tenth", "full"])
            for mode in report.modes { #expect(mode.ns_per_message > 0) }
            #expect(report.modes[0].added_ns == 0 && report.calls_ns_per_message > 0)
        }

        @Test("collector loads a real collector, and reports what that takes of the machine")
        func collector() throws {
            let report = try Bench.quick(["collector"], as: CollectorReport.self)
            #expect(report.by_rate.count == 3)
            #expect(report.by_series.map(\.series) == [10, 100, 1000, 5000, 10_000])
            for point in report.by_rate + report.by_series {
                #expect(point.records_per_second > 0 && point.cpu_share > 0 && point.scrape_ms > 0)
                #expect(point.rss_anon_bytes > 0 && point.pss_bytes > 0)
                #expect(point.scrape_bytes > 0 && point.drained > 0 && point.lost >= 0)
            }
            // More series give more text.
            let bytes = report.by_series.map(\.scrape_bytes)
            #expect(bytes == bytes.sorted() && Set(bytes).count == 5)
        }

        @Test("memory lives through its minutes, drains every record of them, and shows what it holds")
        func memory() throws {
            let report = try Bench.quick(["memory", "--series", "20", "--rate", "1000"], as: MemoryReport.self)
            #expect(report.points.map(\.minutes) == [1, 2, 4] && report.points.map(\.scrapes) == [4, 8, 16])
            for point in report.points {
                #expect(point.rss_anon_bytes > 0 && point.lost == 0)
                #expect(point.drained == point.minutes * 60 * report.records_per_second)
            }
        }

        @Test("the other process has drained or lost every record that one process wrote")
        func twoProcesses() throws {
            let report = try Bench.quick(["two-process"], as: TwoProcessReport.self)
            let visible = report.visible_ms
            #expect(visible.trials == 15)
            #expect(visible.p50 > 0 && [visible.p50, visible.p90, visible.p99, visible.greatest].isSorted)
            #expect(report.rates.count == 4 && report.rates.last?.wanted == nil)
            for rate in report.rates {
                #expect(rate.written > 0 && rate.records_per_second > 0)
                #expect(rate.drained + rate.lost == rate.written)
            }
        }
    }
}

extension [Double] {
    fileprivate var isSorted: Bool { self == sorted() }
}

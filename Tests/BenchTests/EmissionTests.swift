import TestSupport
import Testing

private struct Report: Decodable {
    struct Floor: Decodable {
        let stores_ns, clock_ns, counter_floor_ns, counters_floor_ns, gauge_floor_ns: Double
        let value_floor_ns, lap_floor_ns, span_floor_ns: Double
    }
    struct Latency: Decodable {
        let mean_ns, p50_ns, p99_ns, p999_ns, p9999_ns, worst_ns: Double
    }
    struct Call: Decodable {
        let name: String
        let loop_ns, ratio_to_floor: Double
        let paced, cold: Latency
    }
    struct Target: Decodable {
        let call, against: String
        let limit, loop_ratio: Double
        let reached: Bool
    }
    let host: HostFields
    let rounds: [String]
    let lapped_records: Int
    let floor: Floor
    let calls: [Call]
    let targets: [Target]
}

extension Bench {
    @Suite struct Emission {
        @Test("emission measures every call, and reports none as free or out of order")
        func everyCall() throws {
            let report = try Bench.quick(["emission"], as: Report.self)
            #expect(!report.host.processor.isEmpty && report.host.processors > 0)
            #expect(report.floor.stores_ns > 0)
            #expect(report.floor.clock_ns > report.floor.stores_ns)
            let floor = report.floor
            #expect(floor.counter_floor_ns > 0 && floor.counters_floor_ns > 0 && floor.gauge_floor_ns > 0)
            // A floor that reads the clock costs more than one that does not, and two reads cost more than one.
            #expect(floor.value_floor_ns < floor.lap_floor_ns && floor.lap_floor_ns < floor.span_floor_ns)
            let names = Set(report.calls.map(\.name))
            #expect(
                names.isSuperset(of: [
                    "counter", "counters", "gauge", "value", "timed_value", "lap", "span_closure", "span_token",
                    "span_manual",
                    "span_async", "await_token", "await_closure", "disabled", "sampled_out", "lapped", "no_collector",
                ]))
            for call in report.calls {
                #expect(call.loop_ns > 0 && call.ratio_to_floor > 0, "\(call.name)")
                for latency in [call.paced, call.cold] {
                    let ordered = [latency.p50_ns, latency.p99_ns, latency.p999_ns, latency.p9999_ns, latency.worst_ns]
                    #expect(ordered == ordered.sorted() && ordered[0] >= 0, "\(call.name)")
                }
            }
        }

        @Test(
            "a call that reads the clock costs no less than the read, and the records lost by a hung reader are counted"
        )
        func clockAndLoss() throws {
            let report = try Bench.quick(["emission"], as: Report.self)
            let cost = Dictionary(uniqueKeysWithValues: report.calls.map { ($0.name, $0.loop_ns) })
            // A quarter is allowed, because the two were measured a moment apart, on a machine that others use.
            for name in ["lap", "timed_value"] { #expect(cost[name]! > report.floor.clock_ns * 0.75) }
            for name in ["span_token", "span_closure", "span_manual", "span_async"] {
                #expect(cost[name]! > report.floor.clock_ns * 1.5)
            }
            #expect(report.lapped_records > 131_072)
            for target in report.targets { #expect(target.reached == false || target.loop_ratio <= target.limit) }
        }

        @Test("the plot is an SVG with a curve for each of its calls")
        func plot() throws {
            let directory = TemporaryRingDirectory(under: "/tmp")
            let path = "\(directory.path)/plot.svg"
            let (exit, _, errors) = try Bench.run(["emission", "--quick", "--plot", path])
            #expect(exit == .code(0), "\(errors)")
            let svg = try contents(path)
            #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
            #expect(svg.split(separator: "\n").filter { $0.hasPrefix("<path class=\"curve\"") }.count == 7)
            #expect(!svg.contains("nan") && !svg.contains("inf"))
        }
    }
}

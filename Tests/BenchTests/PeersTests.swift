import TestSupport
import Testing

private struct Report: Decodable {
    struct Ratio: Decodable {
        let near, far: Double?
        let absent: Bool
        let detail: [Detail]
    }
    struct Detail: Decodable {
        let rounds: Int
        let ours_ns, peer_ns, ratio: Double
    }
    struct Round: Decodable {
        let peer, cores: String
    }
    let host: HostFields
    let rounds: [Round]
    let ratios: [String: Ratio]
    let absent: [String: String]
}

private let comparisons = [
    "boost_spsc_queue", "boost_spsc_queue_loop", "moodycamel", "moodycamel_loop", "lttng_ust", "spdlog", "zeromq",
    "zeromq_p99", "prometheus_cpp_counter", "prometheus_cpp_histogram", "prometheus_client_counter",
    "prometheus_client_labels", "prometheus_client_histogram", "statsd_udp", "hdr_histogram", "ddsketch_python",
    "datasketches_kll", "datasketches_tdigest", "prometheus_cpp_render", "prometheus_client_render", "sqlite_insert",
]

extension Bench {
    @Suite struct Peers {
        @Test("a peer that is not there is named as absent, with the reason, and its ratios are null")
        func absent() throws {
            let report = try Bench.quick(["peers", "--sources", "/nonexistent"], as: Report.self)
            #expect(Set(report.ratios.keys) == Set(comparisons))
            #expect(report.rounds.isEmpty)
            #expect(report.absent.count == 11 && report.absent.values.allSatisfy { !$0.isEmpty })
            for (name, ratio) in report.ratios {
                #expect(ratio.absent && ratio.near == nil && ratio.far == nil && ratio.detail.isEmpty, "\(name)")
            }
        }

        @Test("each peer is either absent or was measured beside our own calls")
        func present() throws {
            let report = try Bench.quick(["peers"], as: Report.self)
            #expect(Set(report.ratios.keys) == Set(comparisons))
            for (name, ratio) in report.ratios where !ratio.absent {
                #expect(ratio.detail.reduce(0) { $0 + $1.rounds } == 2, "\(name)")
                #expect(ratio.detail.allSatisfy { $0.ours_ns >= 0 && $0.peer_ns > 0 && $0.ratio > 0 }, "\(name)")
            }
        }
    }
}

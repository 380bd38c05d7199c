/// The peers, each used as its own documentation recommends, and the measures of their comparison.
enum Catalogue {
    static let programs = [
        PeerProgram(name: "boost_spsc_queue", kind: .compiled(libraries: [], launcher: nil)),
        PeerProgram(name: "moodycamel", kind: .compiled(libraries: [], launcher: nil)),
        PeerProgram(name: "zeromq", kind: .compiled(libraries: ["zmq"], launcher: nil)),
        PeerProgram(name: "lttng_ust", kind: .compiled(libraries: ["lttng-ust", "dl"], launcher: "lttng_ust.sh")),
        PeerProgram(name: "spdlog", kind: .compiled(libraries: ["spdlog", "fmt"], launcher: nil)),
        PeerProgram(name: "hdr_histogram", kind: .compiled(libraries: ["hdr_histogram"], launcher: nil)),
        PeerProgram(name: "sqlite", kind: .compiled(libraries: ["sqlite3"], launcher: nil)),
        PeerProgram(name: "prometheus_cpp", kind: .compiled(libraries: ["prometheus-cpp-core"], launcher: nil)),
        PeerProgram(name: "python_prometheus", kind: .interpreted(module: "prometheus_client")),
        PeerProgram(name: "python_statsd", kind: .interpreted(module: "statsd")),
        PeerProgram(name: "python_sketches", kind: .interpreted(module: "ddsketch, datasketches, numpy")),
    ]

    static let comparisons = [
        Comparison("boost_spsc_queue", "boost_spsc_queue", "push", ours: .value, by: .mean),
        Comparison("boost_spsc_queue_loop", "boost_spsc_queue", "push", ours: .value, by: .loop),
        Comparison("moodycamel", "moodycamel", "push", ours: .value, by: .mean),
        Comparison("moodycamel_loop", "moodycamel", "push", ours: .value, by: .loop),
        Comparison("lttng_ust", "lttng_ust", "tracepoint", ours: .timedValue, by: .mean),
        Comparison("spdlog", "spdlog", "log", ours: .timedValue, by: .mean),
        Comparison("zeromq", "zeromq", "push", ours: .timedValue, by: .mean),
        Comparison("zeromq_p99", "zeromq", "push", ours: .timedValue, by: .p99),
        Comparison("prometheus_cpp_counter", "prometheus_cpp", "counter", ours: .counter, by: .loop),
        Comparison("prometheus_cpp_histogram", "prometheus_cpp", "histogram", ours: .value, by: .loop),
        Comparison("prometheus_client_counter", "python_prometheus", "counter", ours: .counter, by: .loop),
        Comparison("prometheus_client_labels", "python_prometheus", "labels", ours: .counter, by: .loop),
        Comparison("prometheus_client_histogram", "python_prometheus", "histogram", ours: .value, by: .loop),
        Comparison("statsd_udp", "python_statsd", "incr", ours: .counter, by: .loop),
        // These are of the collector's side: by value, by histogram of a scrape and by minute of a series.
        Comparison("hdr_histogram", "hdr_histogram", "record", ours: .sketch, by: .loop),
        Comparison("ddsketch_python", "python_sketches", "ddsketch", ours: .sketch, by: .loop),
        Comparison("datasketches_kll", "python_sketches", "kll", ours: .sketch, by: .loop),
        Comparison("datasketches_tdigest", "python_sketches", "tdigest", ours: .sketch, by: .loop),
        Comparison("prometheus_cpp_render", "prometheus_cpp", "render", ours: .render, by: .loop),
        Comparison("prometheus_client_render", "python_prometheus", "render", ours: .render, by: .loop),
        Comparison("sqlite_insert", "sqlite", "insert", ours: .history, by: .loop),
    ]

    /// Published figures by the name of the peer program. Not all of them have one.
    static let published = [
        "boost_spsc_queue": PublishedFigure(
            text: "209,877 operations/ms between two threads, 4.8 ns each (Ryzen 9 3900X)",
            source: "README of github.com/rigtorp/SPSCQueue"),
        "zeromq": PublishedFigure(
            text: "3 million messages/s, 333 ns each",
            source: "zeromq.org/results:more-precise-0mq-tests"),
        "python_prometheus": PublishedFigure(
            text: "1,491 ns an observe()",
            source: "github.com/prometheus/client_python/pull/290"),
    ]
}

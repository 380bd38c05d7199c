/// The peers, each used as its own documentation says, and what they are compared by.
enum Catalogue {
    static let programs = [
        PeerProgram(name: "boost_spsc_queue", kind: .compiled(libraries: [], launcher: nil)),
        PeerProgram(name: "moodycamel", kind: .compiled(libraries: [], launcher: nil)),
        PeerProgram(name: "zeromq", kind: .compiled(libraries: ["zmq"], launcher: nil)),
        PeerProgram(name: "lttng_ust", kind: .compiled(libraries: ["lttng-ust", "dl"], launcher: "lttng_ust.sh")),
        PeerProgram(name: "prometheus_cpp", kind: .compiled(libraries: ["prometheus-cpp-core"], launcher: nil)),
        PeerProgram(name: "python_prometheus", kind: .interpreted(module: "prometheus_client")),
        PeerProgram(name: "python_statsd", kind: .interpreted(module: "statsd")),
    ]

    static let comparisons = [
        Comparison("boost_spsc_queue", "boost_spsc_queue", "push", ours: .value, by: .mean, near: 2.5, far: 8),
        Comparison("moodycamel", "moodycamel", "push", ours: .value, by: .mean, near: 2.5, far: 8),
        Comparison("lttng_ust", "lttng_ust", "tracepoint", ours: .timedValue, by: .mean, near: 10, far: 10),
        Comparison("zeromq", "zeromq", "push", ours: .timedValue, by: .mean, near: 30, far: 30),
        Comparison("zeromq_p99", "zeromq", "push", ours: .timedValue, by: .p99, near: 100, far: 100),
        Comparison("prometheus_cpp_counter", "prometheus_cpp", "counter", ours: .counter, by: .loop, near: 3, far: 3),
        Comparison("prometheus_cpp_histogram", "prometheus_cpp", "histogram", ours: .value, by: .loop),
        Comparison("prometheus_client_counter", "python_prometheus", "counter", ours: .counter, by: .loop),
        Comparison("prometheus_client_labels", "python_prometheus", "labels", ours: .counter, by: .loop),
        Comparison("prometheus_client_histogram", "python_prometheus", "histogram", ours: .value, by: .loop),
        Comparison("statsd_udp", "python_statsd", "incr", ours: .counter, by: .loop),
    ]

    /// By the peer program's name; not all of them publish any.
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

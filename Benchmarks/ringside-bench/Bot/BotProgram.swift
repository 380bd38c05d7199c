internal import FoundationEssentials
internal import Glibc

/// A run of the demo bot of our own build, at full speed, alone with its venue.
struct BotProgram {
    let messages: Int
    /// Of the whole process, its venue included.
    let processorNanoseconds: Double

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    var nanosecondsPerMessage: Double { processorNanoseconds / Double(messages) }

    /// - Throws: ``Failure`` if the demo is not there or fails.
    init(_ mode: BotMode, seconds: Double, seed: Int, report: String? = nil) throws {
        let demo = "\(Program.ownFolder)/ringside-demo"
        guard access(demo, X_OK) == 0 else {
            throw Failure(description: "there is no \(demo); 'swift build -c release' makes it")
        }
        let rings = try ScratchDirectory()
        let arguments = ["--rate", "0", "--duration", "\(seconds)", "--seed", "\(seed)", "--ring-dir", rings.path]
        let before = Self.childrenNanoseconds()
        let output = try Program.output(
            ["env"] + mode.environment + [demo] + arguments + (report.map { ["--report", $0] } ?? []))
        processorNanoseconds = Self.childrenNanoseconds() - before
        let words = output.split(separator: " ")
        guard let place = words.firstIndex(of: "messages"), place > 0, let messages = Int(words[place - 1]),
            messages > 0
        else { throw Failure(description: "\(demo) does not say how many messages it took: \(output)") }
        self.messages = messages
    }

    /// Returns the processor time of all children that have ended and were waited for.
    private static func childrenNanoseconds() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        return seconds * 1e9 + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3
    }
}

/// The calls that one message makes the demo do, from its own report.
struct MessageCalls: Sendable {
    /// Calls a message.
    private(set) var counters = 0.0, values = 0.0, laps = 0.0, spans = 0.0, clocks = 0.0

    /// - Throws: ``BotProgram/Failure``, or the error of decoding the report.
    init(seconds: Double, seed: Int) throws {
        let directory = try ScratchDirectory()
        let file = "\(directory.path)/report.json"
        _ = try BotProgram(.full, seconds: seconds, seed: seed, report: file)
        let text = textFile(file) ?? ""
        let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
        let metrics = report.rings.flatMap(\.metrics)
        let messages = metrics.first { $0.name == "market_data_messages_total" }?.value ?? 0
        guard messages > 0 else { throw BotProgram.Failure(description: "the demo's report has no messages") }
        for metric in metrics { add(metric) }
        // A message begins a stopwatch, and so do the risk checks of an order.
        clocks += messages + (metrics.first { $0.name == "orders_received_total" }?.value ?? 0)
        for path in [\MessageCalls.counters, \.values, \.laps, \.spans, \.clocks] { self[keyPath: path] /= messages }
    }

    private mutating func add(_ metric: Report.Metric) {
        let count = metric.count ?? 0
        switch metric.kind {
        case "counter": counters += metric.value ?? 0
        case "histogram" where !metric.name.hasSuffix("_seconds"): values += count
        case "histogram" where isSpan(metric): spans += count
        // Laps, and durations between two instants: the end of one is the beginning of the next.
        case "histogram": laps += count
        default: break  // Gauges are set a hundred times a second, whatever the messages.
        }
    }

    private func isSpan(_ metric: Report.Metric) -> Bool {
        switch metric.name {
        case "event_bus_publish_seconds", "strategy_signal_generation_seconds", "strategy_order_execution_seconds": true
        case "event_bus_handle_seconds": metric.labels["topic"] != "market_data"
        default: false
        }
    }

    /// Returns the cost of the calls of one message, from the cost of each call alone.
    func nanoseconds(_ emission: EmissionRun) -> Double {
        func loop(_ name: String) -> Double { emission[name].loop.median }
        return counters * loop("counter") + values * loop("value") + laps * loop("lap") + spans * loop("span_token")
            + clocks * loop("clock")
    }

    private struct Report: Decodable {
        struct Metric: Decodable {
            let name, kind: String
            let labels: [String: String]
            let count, value: Double?
        }
        struct Ring: Decodable {
            let metrics: [Metric]
        }
        let rings: [Ring]
    }
}

import Glibc
import Ringside
import TestSupport

/// The whole rings among the test vectors, as producers of this version write them.
enum VectorRings {
    /// Attaches, lets `body` write, and returns the file's bytes: of the closed ring, or while the bot lives.
    static func image(
        capacity: Int = 64, closes: Bool = true, _ body: (borrowing Telemetry) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        let directory = TemporaryRingDirectory()
        let telemetry = try attach(directory, capacity)
        try body(telemetry)
        let alive = RingFile(directory.ring("vector")).bytes()
        telemetry.close()
        return closes ? RingFile(directory.ring("vector")).bytes() : alive
    }

    private static func attach(
        _ directory: TemporaryRingDirectory, _ capacity: Int, labels: Labels = ["env": "paper", "venue": "Zürich"]
    ) throws -> Telemetry {
        let options = AttachOptions(
            directory: directory.path, capacityRecords: capacity, metricCapacity: 16, labels: labels)
        return try Telemetry.attach("vector", options: options)
    }

    /// Returns a ring with every kind of metric and of record.
    static func whole(capacity: Int = 64, laps: Int = 1, closes: Bool = true) throws -> [UInt8] {
        try image(capacity: capacity, closes: closes) { telemetry in
            let fills = try telemetry.counter(
                "fills_total", help: "Fills.", labels: ["symbol": "BTC-USDT", "side": "buy"])
            let fees = try telemetry.fractionalCounter("fees_usd_total", unit: .usd, help: "Fees \"paid\".")
            let open = try telemetry.upDownCounter("open_orders", help: "Open orders.")
            let exposure = try telemetry.gauge("exposure_usd", unit: .usd, help: "Exposure.")
            _ = try telemetry.gauge("fill_ratio", unit: .ratio, help: "Never set.")
            let position = try telemetry.gauge("position", help: "Every change.", recording: .everyChange)
            let decide = try telemetry.durationHistogram("decide_seconds", help: "From tick to decision.")
            let slippage = try telemetry.histogram("slippage_bps", unit: .bps, help: "Slippage.")
            for lap in 1...laps {
                fills.increment(by: 3)
                fees.increment(by: 0.25)
                open.add(2)
                open.add(-1)
                exposure.set(-12.5)
                position.set(Double(lap))
                let now = telemetry.now()
                decide.record(from: Instant(ticks: now.ticks - 28_000), to: now)
                decide.record(nanoseconds: 1500)
                decide.start().fail()
                do { _ = decide.start() }
                slippage.record(-0.25)
                slippage.record(7, trace: 0xfeed_f00d)
                slippage.record(.greatestFiniteMagnitude)
                try traces(telemetry, decide, slippage)
            }
        }
    }

    /// Writes spans in spans and values, in a trace of another program and in one of the bot's own.
    private static func traces(
        _ telemetry: borrowing Telemetry, _ decide: DurationHistogram, _ slippage: Histogram
    ) throws {
        let came = try TraceContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        let unsampled = try TraceContext(traceparent: "cc-ffffffffffffffff0000000000000000-0000000000000001-00-later")
        for context in [came, telemetry.trace(42), unsampled] {
            let outer = decide.start(in: context)
            decide.start(in: outer.context).fail()
            slippage.record(1.5, in: outer.context)
            outer.end()
        }
        slippage.record(2.5, trace: came.word)
    }

    /// Returns a ring with a number of records, which may be exactly the number of its slots.
    static func values(_ count: Int, capacity: Int = 64) throws -> [UInt8] {
        try image(capacity: capacity) { telemetry in
            let values = try telemetry.histogram("value", help: "Counts up from 0.")
            for value in 0..<count { values.record(Double(value), trace: UInt64(value)) }
        }
    }

    /// Returns a ring that was sampled 1 in 4, disabled in between, with a default for later metrics.
    static func sampled() throws -> [UInt8] {
        let directory = TemporaryRingDirectory()
        let telemetry = try attach(directory, 64)
        let file = RingFile(directory.ring("vector"))
        let some = try telemetry.histogram("some", help: "One in four.")
        let none = try telemetry.histogram("none", help: "Disabled.")
        file.setControlWord(0x1_0004, ofMetric: 0)
        file.setControlWord(0x0_0001, ofMetric: 1)
        for value in 0..<100 {
            some.record(Double(value))
            none.record(Double(value))
        }
        telemetry.close()
        return file.bytes()
    }

    /// Returns a ring with a number of lives, each with a record of its own. Of two metrics one is of the first life
    /// alone.
    static func lives(_ count: Int) throws -> [UInt8] {
        let directory = TemporaryRingDirectory()
        for life in 1...count {
            let telemetry = try attach(directory, 64, labels: ["run": "\(life)"])
            let values = try telemetry.histogram("value", help: "The life's number.")
            let level = try telemetry.gauge("level", help: "Set in the first life.")
            let total = try telemetry.counter("calls_total", help: "Goes on.")
            if life == 1 {
                level.set(5)
                try telemetry.histogram("early", help: "Of the first life alone.").record(-1)
            }
            values.record(Double(life))
            total.increment()
            telemetry.close()
        }
        return RingFile(directory.ring("vector")).bytes()
    }
}

internal import Glibc
internal import RingReader
internal import Ringside

/// Rings of a run of their own, which are filled to be drained. Each is a bot with its share of the histograms. If
/// there are more rings than histograms, they are lanes of bots with one histogram each.
final class FilledRings {
    /// The capacity of a ring, and the records of a filling: three quarters of it, so that nothing is lapped.
    static let capacityRecords = 32_768
    static let recordsPerFill = 24_576

    let directory: ScratchDirectory
    let names: [RingName]
    private let bots: UnsafeMutableBufferPointer<FilledBot>
    private let values: [Double]

    /// - Parameters:
    ///   - rings: The number of rings, each of 1 MiB.
    ///   - series: The histograms of all bots together. One of the two numbers is a multiple of the other.
    ///   - capacityRecords: The capacity of each ring.
    init(rings: Int, series: Int, capacityRecords: Int = capacityRecords) throws {
        let directory = try ScratchDirectory()
        self.directory = directory
        values = Self.spreadValues()
        let bots = min(rings, series)
        let lanes = rings / bots
        names = (0..<rings).map { RingName(lanes == 1 ? "bot\($0)" : "bot\($0 / lanes).lane\($0 % lanes)")! }
        self.bots = .allocate(capacity: rings)
        for (index, name) in names.enumerated() {
            let options = AttachOptions(
                directory: directory.path, capacityRecords: capacityRecords, metricCapacity: max(64, series / bots))
            let bot = try FilledBot(Telemetry.attach("\(name)", options: options), series: series / bots)
            self.bots.initializeElement(at: index, to: bot)
        }
    }

    deinit {
        _ = bots.deinitialize()
        bots.deallocate()
    }

    var recordsPerLap: Int { bots.count * Self.recordsPerFill }

    /// Writes as many records into each ring as it holds without being lapped, each with the time of its writing. It
    /// writes from the other processor, as bots do, so that the reader finds the records in caches that are not its
    /// own.
    func fillOnPartner() {
        nonisolated(unsafe) let rings = self  // this thread waits until the other is done
        NativeThread {
            Processors.pin(to: Processors.partners)
            rings.fill()
        }.join()
    }

    /// Writes a number of records into the first ring; into one series if it is named.
    func write(_ records: Int, series: Int? = nil) {
        if let series {
            for _ in 0..<records { bots[0].write(values[0], to: series) }
        } else {
            bots[0].fill(records, values)
        }
    }

    private func fill() {
        for index in bots.indices { bots[index].fill(Self.recordsPerFill, values) }
    }

    /// Returns 4,096 durations between 1 us and 1 ms, with all octaves equally frequent, like those of a busy bot.
    static func spreadValues() -> [Double] {
        var random = SplitMix(seed: 1)
        return (0..<4096).map { _ in 1e-6 * exp2(Double(random.next() >> 11) / Double(1 << 53) * 10) }
    }
}

/// A bot that writes values into its histograms in random order.
struct FilledBot: ~Copyable {
    let telemetry: Telemetry
    let histograms: [Histogram]
    private var random = SplitMix(seed: 7)

    init(_ telemetry: consuming Telemetry, series: Int) throws {
        histograms = try Self.register(telemetry, series)
        self.telemetry = telemetry
    }

    private static func register(_ telemetry: borrowing Telemetry, _ series: Int) throws -> [Histogram] {
        var histograms: [Histogram] = []
        for index in 0..<series {
            histograms.append(try telemetry.histogram(metricName(index), unit: .seconds, help: "A stage."))
        }
        return histograms
    }

    static func metricName(_ series: Int) -> String { "bench_stage_\(series)_seconds" }

    func write(_ value: Double, to series: Int) { histograms[series].record(value, at: telemetry.now()) }

    mutating func fill(_ records: Int, _ values: [Double]) {
        for _ in 0..<records {
            let word = random.next()
            let histogram = histograms[Int(truncatingIfNeeded: word >> 32) % histograms.count]
            histogram.record(values[Int(truncatingIfNeeded: word & 4095)], at: telemetry.now())
        }
    }
}

/// A generator that gives the same numbers in every run (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}

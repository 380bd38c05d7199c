internal import Exposition

/// A made-up telemetry log: a bot's day at ten rows a second.
struct SampleCSV {
    private var generator: SplitMix64
    private var time: UInt64 = 1_767_607_200_000_000_000  // 2026-01-05 10:00 UTC, a Monday
    private var produced: UInt64 = 0
    private var consumed: UInt64 = 0
    private var dropped: UInt64 = 0
    private var errors: UInt64 = 0
    private var batches: UInt64 = 0
    private var load = 1.0

    private static let capacity: UInt64 = 4096

    init(seed: UInt64) { generator = SplitMix64(state: seed) }

    static let header = ImportMapping.telemetryLogHeader.joined(separator: ",") + "\n"

    /// Appends the next row, with its line end.
    mutating func appendRow(to bytes: inout [UInt8]) {
        let interval = 100_000_000 + UInt64(uniform() * 2e6)
        time += interval
        // The load wanders between calm and busy. When it is busy, the consumer falls behind.
        load = min(3, max(0.2, load + (uniform() - 0.5) * 0.2))
        produced += UInt64(1000 * load * (0.8 + 0.4 * uniform()))
        let waiting = produced - consumed - dropped
        let taken = min(waiting, UInt64(1500 + 1000 * uniform()))
        consumed += taken
        dropped += max(waiting - taken, Self.capacity) - Self.capacity
        if uniform() < 0.002 { errors += 1 }
        batches += (taken + 49) / 50
        let fill = produced - consumed - dropped
        let mean = 40_000 * (1 + Double(fill) / 1024) * (0.9 + 0.2 * uniform())
        let (p95, p99) = (mean * (2 + uniform()), mean * (4 + 4 * uniform()))
        let rate = Double(taken) * 1e9 / Double(interval)
        for (index, number) in [time, produced, consumed, dropped, fill, Self.capacity].enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(decimal: number)
        }
        let tenths = UInt64(rate * 10)
        bytes.append(",\(tenths / 10).\(tenths % 10)")
        for number in [UInt64(mean), UInt64(p95), UInt64(p99), errors, batches] {
            bytes.append(UInt8(ascii: ","))
            bytes.append(decimal: number)
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func uniform() -> Double { Double(generator.next() >> 11) * 0x1p-53 }
}

/// The generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

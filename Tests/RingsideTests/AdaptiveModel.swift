import CRingside
import TestSupport

/// Adaptive sampling under a clock of nanoseconds that the test sets, and with random draws that it can repeat.
struct AdaptiveModel {
    private(set) var state = ringside_adaptive()
    private var random: (UInt64, UInt64)
    private(set) var looks = 0
    private(set) var calls = 0
    /// The N that was in force at the last call.
    private(set) var lastN: UInt32 = 1
    private(set) var records: [(time: UInt64, weight: UInt32)] = []

    init(ceiling: UInt32, seed: UInt64, at time: UInt64 = 1_000_000_000) {
        var generator = SeededGenerator(seed: seed)
        random = (generator.next(), generator.next())
        ringside_adaptive_begin(&state, 1e9, ceiling, time)
    }

    /// Makes one call of a histogram. Returns its weight, 0 if it is left out.
    @discardableResult
    mutating func call(at time: UInt64) -> UInt32 {
        calls += 1
        if ringside_adaptive_wants_time(&state) != 0 {
            looks += 1
            ringside_adaptive_look(&state, time)
        }
        lastN = state.n
        let weight = withUnsafeMutablePointer(to: &random) { pair in
            pair.withMemoryRebound(to: UInt64.self, capacity: 2) { ringside_adaptive_decide(&state, $0) }
        }
        if weight > 0 { records.append((time, weight)) }
        return weight
    }

    /// The largest number of records in any second, with a step of 10 ms.
    var mostInASecond: Int {
        guard let first = records.first?.time, let last = records.last?.time else { return 0 }
        var bins = [Int](repeating: 0, count: Int((last - first) / 10_000_000) + 1)
        for record in records { bins[Int((record.time - first) / 10_000_000)] += 1 }
        var sum = 0
        var most = 0
        for index in bins.indices {
            sum += bins[index]
            if index >= 100 { sum -= bins[index - 100] }
            most = max(most, sum)
        }
        return most
    }

    var weights: UInt64 { records.reduce(0) { $0 + UInt64($1.weight) } }
}

/// The times at which calls come.
enum Arrival: CaseIterable {
    /// Calls come at exact intervals.
    case regular
    /// Calls come at random, independently of each other.
    case random
    /// Ten calls come at once, as after a tick.
    case clustered

    /// Returns the times of `count` calls from `start` on, at a rate a second, in nanoseconds.
    func times(_ count: Int, perSecond rate: Double, from start: UInt64, seed: UInt64) -> [UInt64] {
        let step = 1e9 / rate
        switch self {
        case .regular: return (0..<count).map { start + UInt64(Double($0) * step) }
        case .clustered: return (0..<count).map { start + UInt64(Double($0 / 10 * 10) * step) }
        case .random:
            var generator = SeededGenerator(seed: seed)
            return (0..<count).map { _ in start + UInt64.random(in: 0..<UInt64(Double(count) * step), using: &generator)
            }
            .sorted()
        }
    }
}

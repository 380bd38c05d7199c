internal import CRingside

/// One attach of one producer, as the producer described it.
package struct Life: Equatable, Sendable {
    package enum Clock: UInt32, Sendable {
        case none = 0
        case tsc = 1
        case cntvct = 2
        case monotonic = 3

        package var name: String {
            switch self {
            case .none: "none"
            case .tsc: "tsc"
            case .cntvct: "cntvct"
            case .monotonic: "monotonic"
            }
        }
    }

    /// The number of the life, from 1.
    package let number: UInt64
    package let firstPosition: UInt64
    package let clock: Clock
    package let anchorTicks: UInt64
    package let anchorMonotonicNanoseconds: UInt64
    package let anchorUnixNanoseconds: UInt64
    /// The process id in the bot's own pid namespace.
    package let pid: Int32
    package let pidNamespace: UInt64
    package let processStartTicks: UInt64
    package let command: String
    /// The bot's constant labels; empty also if they cannot be decoded.
    package let labels: [Metric.Label]
    /// The cost of each call in picoseconds, measured at attach: counter, gauge, value, timed value or lap, span, clock
    /// read.
    package let callCostPicoseconds: [UInt32]
    /// The high half of the trace ids that this life makes; 0 in a ring of version 1.0.
    package let tracePrefix: UInt64
}

extension Segment {
    /// Returns the lives that are still recorded, oldest first. There is at most one less than there are slots.
    package func lives() -> [Life] {
        let newest = lifeCount
        let held = min(newest, UInt64(max(1, geometry.lives.itemCount)) - 1)
        return (0..<held).compactMap { life(newest &- held &+ 1 &+ $0) }
    }

    /// Returns life `number`; nil once a later life has taken its slot.
    package func life(_ number: UInt64) -> Life? {
        guard let copy = copyLife(number) else { return nil }
        return Life(
            number: number, firstPosition: copy.first_position, clock: Life.Clock(rawValue: copy.clock_kind) ?? .none,
            anchorTicks: copy.anchor_ticks, anchorMonotonicNanoseconds: copy.anchor_monotonic_ns,
            anchorUnixNanoseconds: copy.anchor_realtime_ns, pid: copy.pid, pidNamespace: copy.pid_namespace,
            processStartTicks: copy.process_start_ticks,
            command: withUnsafeBytes(of: copy.command) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) },
            labels: labels(copy.labels) ?? [],
            callCostPicoseconds: withUnsafeBytes(of: copy.call_cost_ps) {
                Array($0.bindMemory(to: UInt32.self).prefix(6))
            }, tracePrefix: geometry.versionMinor > 0 ? copy.trace_prefix : 0)
    }
}

internal import Platform
internal import Series

/// A change of the machine's clocks that is worth a line in the log.
package enum ClockEvent: Equatable, Sendable {
    /// The wall clock was stepped by this much, positive if ahead.
    case wallClockStep(nanoseconds: Int64)
    /// The machine was suspended for this time.
    case suspend(nanoseconds: Int64)
    /// The ticks jumped relative to CLOCK_MONOTONIC: they were reset or stopped, or continued during a suspend.
    case tickJump
}

/// Detects changes of the machine's clocks. Pure.
struct ClockJumpDetector {
    private var steps: UInt64 = 0
    private var lastStepSeconds: Double?
    private var suspends: UInt64 = 0
    private var suspendedSeconds: Double = 0
    private var tickJumps: UInt64 = 0
    /// The difference of the clocks at the last event.
    private var knownStep: Int64
    private var knownSuspended: Int64

    /// A smaller difference may be an interrupted reading. Small differences in one direction add up until they reach
    /// this.
    static let least: Int64 = 1_000_000

    init(_ reading: ClockReading) {
        knownStep = Self.wall(reading)
        knownSuspended = Self.suspended(reading)
    }

    /// Returns how long the machine was suspended since its start, in nanoseconds.
    static func suspended(_ reading: ClockReading) -> Int64 { reading.bootTime - reading.monotonic }

    /// Returns the difference of the wall clock and the time that passed. Slewing changes both.
    private static func wall(_ reading: ClockReading) -> Int64 { reading.unix - reading.bootTime }

    mutating func note(_ reading: ClockReading) -> [ClockEvent] {
        var found: [ClockEvent] = []
        let slept = Self.suspended(reading) - knownSuspended
        if slept > Self.least {
            knownSuspended += slept
            suspends += 1
            suspendedSeconds += Double(slept) * 1e-9
            found.append(.suspend(nanoseconds: slept))
        }
        let step = Self.wall(reading) - knownStep
        if step.magnitude > Self.least {
            knownStep += step
            steps += 1
            lastStepSeconds = Double(step) * 1e-9
            found.append(.wallClockStep(nanoseconds: step))
        }
        return found
    }

    mutating func noteTickJump() -> ClockEvent {
        tickJumps += 1
        return .tickJump
    }

    func snapshot(source: String, driftRatio: Double?) -> ClockSnapshot {
        ClockSnapshot(
            source: source, driftRatio: driftRatio, steps: steps, lastStepSeconds: lastStepSeconds, suspends: suspends,
            suspendedSeconds: suspendedSeconds, tickJumps: tickJumps)
    }
}

extension Logger {
    /// Logs changes of the machine's clocks, and their effect.
    func note(_ events: [ClockEvent]) {
        for event in events {
            switch event {
            case .wallClockStep(let nanoseconds):
                warn(
                    "wall clock stepped; windows use CLOCK_MONOTONIC and are not affected",
                    [("seconds", .number(Double(nanoseconds) * 1e-9))])
            case .suspend(let nanoseconds):
                warn("machine was suspended", [("seconds", .number(Double(nanoseconds) * 1e-9))])
            case .tickJump:
                warn("the tick counter jumped against CLOCK_MONOTONIC; its rate is measured again")
            }
        }
    }
}

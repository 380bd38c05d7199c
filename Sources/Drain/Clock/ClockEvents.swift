internal import Series

/// Something that happened to the machine's clocks and is worth a line in the log.
package enum ClockEvent: Equatable, Sendable {
    /// Somebody set the wall clock, by so much; ahead where positive.
    case wallClockStep(nanoseconds: Int64)
    /// The machine slept for so long.
    case suspend(nanoseconds: Int64)
    /// The ticks did not go on with CLOCK_MONOTONIC: they were reset or stopped, or went on through a suspend.
    case tickJump
}

/// Keeps account of what happened to the machine's clocks. Pure.
struct ClockEvents {
    private var steps: UInt64 = 0
    private var lastStepSeconds: Double?
    private var suspends: UInt64 = 0
    private var suspendedSeconds: Double = 0
    private var tickJumps: UInt64 = 0
    /// Where the clocks stood to each other when something last happened.
    private var knownStep: Int64
    private var knownSuspended: Int64

    /// What is less may be a reading that was interrupted; several such that go one way are noted once they are more.
    static let least: Int64 = 1_000_000

    init(_ reading: ClockReading) {
        knownStep = Self.wall(reading)
        knownSuspended = Self.suspended(reading)
    }

    /// How long the machine was suspended since its start, in nanoseconds.
    static func suspended(_ reading: ClockReading) -> Int64 { reading.bootTime - reading.monotonic }

    /// What the wall clock was set to beside the time that really went by: slewing moves both.
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

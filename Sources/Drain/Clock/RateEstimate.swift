internal import RingReader

/// How long a tick is, in nanoseconds of CLOCK_MONOTONIC, from readings of both over the last minute.
///
/// NTP changes the rate of CLOCK_MONOTONIC, by a few parts in a million as a rule and by some hundred where it makes good an
/// error: readings from before such a change are let go of as soon as they no longer fit.
struct RateEstimate {
    private(set) var nanosecondsPerTick: Double
    /// Of one rate, oldest first.
    private var readings: [ClockReading] = []

    /// Over how long the rate is measured: the longer, the less a reading's uncertainty counts; the shorter, the sooner a slow
    /// change of the rate is followed.
    static let horizonNanoseconds: Int64 = 60_000_000_000

    init(_ reading: ClockReading, nanosecondsPerTick: Double) {
        self.nanosecondsPerTick = nanosecondsPerTick
        readings = [reading]
    }

    /// The time over which the rate is measured, in nanoseconds; 0 at the first reading.
    var span: Int64 { readings.count < 2 ? 0 : readings[readings.count - 1].monotonic - readings[0].monotonic }

    /// The line through the last reading.
    var scale: TickScale {
        TickScale(
            originTicks: readings[readings.count - 1].ticks, originNanoseconds: readings[readings.count - 1].monotonic,
            nanosecondsPerTick: nanosecondsPerTick)
    }

    /// Takes note of a reading that goes on evenly from the last.
    mutating func note(_ reading: ClockReading) {
        let last = readings[readings.count - 1]
        let elapsed = reading.monotonic - last.monotonic
        guard elapsed > 0 else { return }
        let deviation = (scale.monotonic(reading.ticks) - reading.monotonic).magnitude
        if Double(deviation) > tolerance(reading, elapsed: elapsed) { readings = [last] }
        // One reading a second is enough for a minute; of those in between only the last counts.
        if readings.count > 1, last.monotonic - readings[readings.count - 2].monotonic < Self.spacingNanoseconds {
            readings.removeLast()
        }
        readings.append(reading)
        while readings.count > 2, reading.monotonic - readings[0].monotonic > Self.horizonNanoseconds {
            readings.removeFirst()
        }
        let ticks = Double(Int64(bitPattern: reading.ticks &- readings[0].ticks))
        if ticks > 0 { nanosecondsPerTick = Double(span) / ticks }
    }

    /// Begins anew where the ticks did not go on evenly; a tick is as long as it was.
    mutating func restart(_ reading: ClockReading) { readings = [reading] }

    private static let spacingNanoseconds: Int64 = 900_000_000
    /// What a change of the rate must make a difference of to be told from the slow wandering that any crystal shows.
    private static let leastDeviation = 2000.0

    /// How far a reading may lie from the line for no other reason than that no reading is exact.
    private func tolerance(_ reading: ClockReading, elapsed: Int64) -> Double {
        let uncertainty = Double(reading.uncertainty + readings[0].uncertainty)
        guard span > 0 else { return .infinity }
        return Self.leastDeviation + uncertainty * (1 + 2 * Double(elapsed) / Double(span))
    }
}

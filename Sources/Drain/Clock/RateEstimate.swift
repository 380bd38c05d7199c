internal import RingReader

/// The length of a tick, in nanoseconds of CLOCK_MONOTONIC, from readings of both over the last minute.
///
/// NTP changes the rate of CLOCK_MONOTONIC, usually by a few parts in a million, and by some hundred to correct an
/// error. Readings from before such a change are removed as soon as they no longer fit.
struct RateEstimate {
    private(set) var nanosecondsPerTick: Double
    /// Readings of one rate, oldest first.
    private var readings: [ClockReading] = []

    /// The time over which the rate is measured. A longer time reduces the effect of a reading's uncertainty; a shorter
    /// one follows a slow change of the rate sooner.
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

    /// Adds a reading that continues evenly from the last one.
    mutating func note(_ reading: ClockReading) {
        let last = readings[readings.count - 1]
        let elapsed = reading.monotonic - last.monotonic
        guard elapsed > 0 else { return }
        let deviation = (scale.monotonic(reading.ticks) - reading.monotonic).magnitude
        if Double(deviation) > tolerance(reading, elapsed: elapsed) { readings = [last] }
        // One reading a second is enough for a minute. Of those in between, only the last one is stored.
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

    /// Starts again if the ticks did not continue evenly. The length of a tick stays as it was.
    mutating func begin(with reading: ClockReading) { readings = [reading] }

    private static let spacingNanoseconds: Int64 = 900_000_000
    /// A change of the rate must make at least this difference, to be distinguished from the slow drift of any crystal.
    private static let leastDeviation = 2000.0

    /// Returns how far a reading may be from the line because no reading is exact.
    private func tolerance(_ reading: ClockReading, elapsed: Int64) -> Double {
        let uncertainty = Double(reading.uncertainty + readings[0].uncertainty)
        guard span > 0 else { return .infinity }
        return Self.leastDeviation + uncertainty * (1 + 2 * Double(elapsed) / Double(span))
    }
}

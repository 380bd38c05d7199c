internal import CRingside
internal import Glibc
internal import Ringside
internal import Synchronization

/// The work of a pause meter's thread. Once the thread runs, only it may use this object; only `stop` is shared.
final class PauseLoop {
    /// A flag that ends the meter when it is raised.
    final class Stop: Sendable {
        let isSet = Atomic(false)
    }

    let stop = Stop()
    private var telemetry: Telemetry?
    private let pause: DurationHistogram
    private let intervalNanoseconds: Int64
    private let observe: (@Sendable (UInt64) -> Void)?

    /// - Returns: Nil if the environment turns telemetry off.
    static func attach(
        _ ring: String, _ options: PauseMeter.Options, observe: (@Sendable (UInt64) -> Void)?
    ) throws(AttachError) -> PauseLoop? {
        let telemetry = try Telemetry.attach(ring, options: options.attach)
        guard telemetry.isAttached else { return nil }
        do {
            return try PauseLoop(telemetry, options, observe)
        } catch {
            // The definition is sound, so the ring must be full of other programs' metrics and unable to grow.
            throw AttachError(reason: .noSpace, description: error.description)
        }
    }

    private init(
        _ telemetry: consuming Telemetry, _ options: PauseMeter.Options, _ observe: (@Sendable (UInt64) -> Void)?
    ) throws(RegistrationError) {
        pause = try telemetry.instrument(HealthPlane.pause, .scheduling)
        self.telemetry = consume telemetry
        intervalNanoseconds = options.intervalNanoseconds
        self.observe = observe
    }

    /// Runs until `stop` is raised, then closes the ring.
    func run() {
        guard let telemetry = telemetry.take() else { return }
        ringside_name_thread("ringside.pause")
        ringside_sleep_precisely()
        let ticksPerNanosecond = TickClock.ticksPerSecond * 1e-9
        var deadline = Int64(bitPattern: ringside_monotonic_ns()) + intervalNanoseconds
        while true {
            sleep(until: deadline)
            guard !stop.isSet.load(ordering: .relaxed) else { break }
            let late = max(0, Int64(bitPattern: ringside_monotonic_ns()) - deadline)
            let end = telemetry.now()
            let start = Instant(ticks: end.ticks &- UInt64(Double(late) * ticksPerNanosecond))
            let ticks = pause.record(from: start, to: end)
            observe?(ticks)
            // Deadlines that were missed meanwhile belong to this pause, and are not pauses of their own.
            deadline += (late / intervalNanoseconds + 1) * intervalNanoseconds
        }
        telemetry.close()
    }

    /// Sleeps until an absolute time, so that the loop's own time does not add up.
    private func sleep(until nanoseconds: Int64) {
        var time = timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}

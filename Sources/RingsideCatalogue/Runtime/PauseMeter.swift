public import Ringside

/// A meter of how long the bot's process is kept from running. A thread sleeps for a millisecond at a time and records
/// how late it wakes, in ``HealthPlane/pause`` of a ring of its own: the bot's lane `pause`.
///
/// ```swift
/// let meter = try PauseMeter.start(bot: "alpha")      // the ring alpha.pause
/// ```
///
/// Whatever delays this thread also delays the bot's other threads: a machine without a spare processor, a virtual
/// machine that stands still, a stopped process, memory that has to be fetched. Each pause is one record, however long
/// it is: look at the maximum, at p99.9, and at the sum, which is the time lost. The wake-up itself takes a few
/// microseconds of each record.
///
/// One meter per process is enough, also for several bots. It runs until ``stop()`` or the end of the process, even if
/// nobody holds it. A forked child has no meter, and the ring stays the parent's. Any thread may use it.
///
/// **Cost.** The emit path of the bot is untouched. A thread that wakes 1,000 times a second takes 1-2 % of one core; the
/// ring takes 2.3 MiB of shared memory and gets 1,000 records a second.
public struct PauseMeter: Sendable {
    public struct Options: Sendable {
        /// The time between two wake-ups, 100 us to 1 s; a value outside is taken as the nearer limit. A pause shorter
        /// than the interval may be missed. Default: 1 ms.
        public var interval: Duration
        /// The directory, mode, labels and so on of the meter's ring. Default: as ``AttachOptions``, but with room for
        /// 16 metrics and 65,536 records. This is a minute's worth, so that a restart of the collector loses none.
        public var attach: AttachOptions

        public init(interval: Duration = .milliseconds(1), attach: AttachOptions = AttachOptions()) {
            self.interval = interval
            self.attach = attach
            self.attach.capacityRecords = attach.capacityRecords ?? Self.capacityRecords
            self.attach.metricCapacity = attach.metricCapacity ?? Self.metricCapacity
        }

        private static let capacityRecords = 65_536
        private static let metricCapacity = 16
    }

    /// The name of the meter's lane.
    public static let lane = "pause"

    /// The meter's thread; nil if there is no ring to record into.
    private let thread: PauseThread?

    /// Attaches the ring `BOT.pause` and starts the thread. With `RINGSIDE=off` in the environment it does neither, and
    /// does not fail.
    ///
    /// - Parameters:
    ///   - bot: The bot's name, without a lane.
    ///   - options: The defaults suit most bots.
    ///   - observe: Called on the meter's thread after each wake-up with the recorded pause, in ticks of ``TickClock``,
    ///     for a bot that wants to react. It must not use the bot's own instruments.
    /// - Throws: ``AttachError``, also if the system cannot start another thread.
    public static func start(
        bot: String, options: Options = Options(), observe: (@Sendable (_ ticks: UInt64) -> Void)? = nil
    ) throws(AttachError) -> PauseMeter {
        guard let loop = try PauseLoop.attach("\(bot).\(lane)", options, observe: observe) else {
            return PauseMeter(thread: nil)
        }
        return PauseMeter(thread: try PauseThread(loop))
    }

    /// Does the same as ``start(bot:options:observe:)``, but on failure the bot continues without a meter.
    ///
    /// - Parameter report: Called once with the error.
    public static func startOrDisabled(
        bot: String, options: Options = Options(), observe: (@Sendable (_ ticks: UInt64) -> Void)? = nil,
        report: (AttachError) -> Void
    ) -> PauseMeter {
        do {
            return try start(bot: bot, options: options, observe: observe)
        } catch {
            report(error)
            return PauseMeter(thread: nil)
        }
    }

    /// Whether the meter's thread runs, in this process.
    public var isRunning: Bool { thread?.isRunning ?? false }

    /// Ends the thread, waits for its end (one interval at most), and closes the ring. A second call is harmless, and
    /// so is a call in a forked child.
    public func stop() { thread?.stop() }
}

extension PauseMeter.Options {
    var intervalNanoseconds: Int64 {
        let (seconds, attoseconds) = interval.components
        let bounded = min(max(seconds, 0), 1) * 1_000_000_000 + attoseconds / 1_000_000_000
        return min(max(bounded, 100_000), 1_000_000_000)
    }
}

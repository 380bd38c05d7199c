public import Ringside

/// Notes how long the bot's process is kept from running: a thread that sleeps for a millisecond at a time, and records how
/// late it wakes into ``HealthPlane/pause`` of a ring of its own, the lane `pause` of the bot.
///
/// ```swift
/// let meter = try PauseMeter.start(bot: "alpha")      // the ring alpha.pause
/// ```
///
/// What makes this thread late makes the bot's others late: a machine without a processor to spare, a virtual machine that
/// stands still, a stopped process, memory that has to be fetched. One pause is one record, however long: look at the maximum, at
/// p99.9, and at the sum, which is the time lost. A few microseconds are the wake-up itself.
///
/// One meter a process is enough, also of several bots. It runs on, also when nobody holds it, until ``stop()`` or the end of
/// the process. A forked child has no meter and its ring stays the parent's. Any thread may use it.
///
/// **Cost.** The emit path of the bot is untouched. A thread that wakes 1,000 times a second takes 1-2 % of one core; the
/// ring takes a quarter of a mebibyte of shared memory and gets 1,000 records a second.
public struct PauseMeter: Sendable {
    public struct Options: Sendable {
        /// Time between two looks, 100 us to 1 s. Pauses that are shorter may fall between two. Default: 1 ms.
        public var interval: Duration
        /// Directory, mode, labels and so on of its ring. Default: as ``AttachOptions``, with 1,024 records.
        public var attach: AttachOptions

        public init(interval: Duration = .milliseconds(1), attach: AttachOptions = AttachOptions()) {
            self.interval = interval
            self.attach = attach
            self.attach.capacityRecords = attach.capacityRecords ?? Self.capacityRecords
            self.attach.metricCapacity = attach.metricCapacity ?? Self.metricCapacity
        }

        private static let capacityRecords = 1_024
        private static let metricCapacity = 16
    }

    /// The lane that its ring is.
    public static let lane = "pause"

    /// nil where there is no ring to record into.
    private let thread: PauseThread?

    /// Attaches the ring `BOT.pause` and starts the thread. With `RINGSIDE=off` in the environment there is neither, and nothing
    /// fails.
    ///
    /// - Parameters:
    ///   - bot: The bot's name, without a lane.
    ///   - options: The defaults suit most bots.
    ///   - observe: Called on the meter's thread after each look with what was recorded, in ticks of ``TickClock``: for a bot that
    ///     wants to act on a pause. It must not use the bot's own instruments.
    /// - Throws: ``AttachError``, also where the system has no thread left.
    public static func start(
        bot: String, options: Options = Options(), observe: (@Sendable (_ ticks: UInt64) -> Void)? = nil
    ) throws(AttachError) -> PauseMeter {
        guard let loop = try PauseLoop.attach("\(bot).\(lane)", options, observe: observe) else {
            return PauseMeter(thread: nil)
        }
        return PauseMeter(thread: try PauseThread(loop))
    }

    /// As ``start(bot:options:observe:)``; where that fails the bot goes on without a meter.
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

    /// Whether its thread runs, in this process.
    public var isRunning: Bool { thread?.isRunning ?? false }

    /// Ends the thread, waits for that (an interval at most), and closes the ring. Harmless a second time, and in a forked child.
    public func stop() { thread?.stop() }
}

extension PauseMeter.Options {
    var intervalNanoseconds: Int64 {
        let (seconds, attoseconds) = interval.components
        let bounded = min(max(seconds, 0), 1) * 1_000_000_000 + attoseconds / 1_000_000_000
        return min(max(bounded, 100_000), 1_000_000_000)
    }
}

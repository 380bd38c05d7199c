package import Configuration
package import Platform
package import RingReader
internal import Rules
package import Series

/// Replays captured rings through the drain, the windows, the objectives and the alerts of a live collector, by the
/// records' own time. The result contains nothing of this machine, this process or the present.
///
/// Time advances in steps of 10 ms. In a silence it advances in steps of a second, as the rules need it, or of a minute
/// if the silence lasts longer than an hour, up to the step at which the next record is due. A document that is shown
/// on the way is not a step: no record is read and no rule is evaluated for it, so that the result does not depend on
/// how often one is shown.
///
/// A counter or gauge is a cell beside the ring, of which a capture contains only the last value. These values are read
/// at the end, so that rules on their rates and values find nothing before.
///
/// Thread rule: one thread. Memory: the captures, which are mapped, and the series.
package final class Replay {
    private let rings: [ReplayedRing]
    private var bots: [String: BotAccount] = [:]
    private let configuration: CollectorConfiguration
    private let rules: RuleEvaluator
    private var levels: LevelEvaluator
    private let clock = ReplayClock()
    private let version: String

    static let stepNanoseconds: Int64 = 10_000_000
    private static let second: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - captures: At least one, of different rings.
    ///   - configuration: Its windows, quantiles, metric rules, objectives and alerts are used. The rings are those of
    ///     the captures.
    ///   - logLevel: The level of the log on standard error, whose times are those of the replay.
    /// - Throws: ``CaptureError`` or ``RingError`` for a capture that cannot be read, ``ReplayError``.
    package init(
        _ captures: [Capture], configuration: CollectorConfiguration, version: String, logLevel: LogLevel = .info
    ) throws {
        let envelopes = captures.map(\.envelope)
        rings = try captures.map { try ReplayedRing($0.segment(), $0.envelope, among: envelopes) }
            .sorted { "\($0.segment.name)" < "\($1.segment.name)" }
        for (ring, next) in zip(rings, rings.dropFirst()) where ring.segment.name == next.segment.name {
            throw ReplayError(
                description: "two of the captures are of the ring \(ring.segment.name); replay one at a time")
        }
        for ring in rings where !ring.hasPossibleTimes {
            throw ReplayError(
                description:
                    "\(ring.segment.path) has an impossible capture time, so it cannot be replayed"
            )
        }
        self.configuration = configuration
        self.version = version
        clock.now = rings.map(\.begins).min() ?? 0
        let logger = Logger(level: logLevel, time: clock.source)
        rules = RuleEvaluator(logger: logger, time: clock.source)
        levels = LevelEvaluator(logger: logger)
        rules.use(configuration)
    }

    /// Replays to the end.
    ///
    /// - Parameters:
    ///   - limit: The time after the first record at which to stop, in nanoseconds; nil continues to the last record.
    ///   - interval: The time between calls of `show`, in nanoseconds of the records' time; nil calls it only at the
    ///     end.
    ///   - progress: Receives the recorded time that is replayed and that there is, in nanoseconds, after each step.
    ///   - show: Receives what a collector would have shown at that time; the last call is the final state.
    package func run(
        until limit: Int64? = nil, every interval: Int64? = nil, progress: (UInt64, UInt64) -> Void = { _, _ in },
        show: (Snapshot) throws -> Void
    ) rethrows {
        let begin = clock.now
        let last = rings.map(\.ends).max() ?? begin
        let end = limit.map { min(last, begin.addingReportingOverflow($0).partialValue) } ?? last
        var nextShown = interval.map { begin + $0 }
        turn(to: begin)
        var nextTurn = nextTime(after: begin, begin: begin)
        while clock.now < end {
            let time = min(nextTurn, end, nextShown ?? .max)
            if time == nextTurn || time == end {
                turn(to: time)
                progress((time &- begin).magnitude, (end &- begin).magnitude)
                nextTurn = nextTime(after: time, begin: begin)
            } else {
                // A document that is shown causes no read and no evaluation of a rule.
                advance(to: time)
            }
            if time == nextShown, let interval, time < end {
                try show(snapshot())
                nextShown = time + interval
            }
        }
        conclude()
        try show(snapshot())
    }

    /// Returns the time of the turn after one at `now`. It is a whole number of steps after the beginning, so that
    /// calls of `show` do not move a turn.
    private func nextTime(after now: MonotonicTime, begin: MonotonicTime) -> MonotonicTime {
        let due = rings.compactMap(\.due).min() ?? .max
        let step = Self.stepNanoseconds
        if due <= now + step { return now + step }
        let silence = due - now
        let longest = silence > 3600 * Self.second ? 60 * Self.second : Self.second
        // A silence longer than any window or objective is skipped, except for its end.
        let wanted = silence > 31 * 86400 * Self.second ? due - 60 * Self.second : min(due, now + longest)
        return begin + (wanted - begin + step - 1) / step * step
    }

    private func advance(to now: MonotonicTime) {
        clock.now = now
        for bot in bots.values { bot.series.advance(to: now) }
    }

    private func turn(to now: MonotonicTime) {
        advance(to: now)
        for ring in rings {
            if ring.drain == nil, ring.begins <= now { ring.begin(bot(ring.segment.name.bot), now: now) }
            ring.read(now: now)
        }
        rules.doWork(self, now: now) { .ofReplay(version: version) }
        levels.doWork(self, now: now, unixNanoseconds: clock.source.unix())
    }

    private func bot(_ name: String) -> BotAccount {
        if let bot = bots[name] { return bot }
        let bot = BotAccount(name: name, options: configuration.series, now: clock.now)
        bot.series.hold(
            to: configuration.objectives.filter { $0.bot.matches(name) }.compactMap(\.rule))
        bot.show(by: configuration.metricRules, nowUnixSeconds: 0)
        bots[name] = bot
        return bot
    }

    /// Reads the cells of the captures, and evaluates the rules once more.
    private func conclude() {
        let now = clock.now
        for ring in rings { ring.drain?.sampleCells(options: configuration.series, now: now) }
        for bot in bots.values { bot.series.sampleCounters(now: now) }
        rules.conclude(self, now: now) { .ofReplay(version: version) }
    }

    private func snapshot() -> Snapshot {
        var snapshot = Snapshot(
            unixNanoseconds: clock.now, bots: snapshots(now: clock.now, named: nil),
            collector: .ofReplay(version: version))
        rules.complete(&snapshot, self, now: clock.now)
        return snapshot
    }

    /// The losses of each ring by reason, in the order of the rings' names.
    package var losses: [(ring: RingName, reason: LossReason, records: UInt64)] {
        rings.flatMap { ring in
            LossReason.allCases.compactMap { reason in
                guard let lost = ring.drain?.lost[reason], lost > 0 else { return nil }
                return (ring.segment.name, reason, lost)
            }
        }
    }

    /// The metrics that were refused, by ring.
    package var refusals: [(ring: RingName, reason: String)] {
        rings.flatMap { ring in (ring.drain?.takeRefusals() ?? []).map { (ring.segment.name, $0) } }
    }
}

extension Replay: RuleBotSource {
    var botSeries: [BotSeries] { bots.values.map(\.series).sorted { $0.name < $1.name } }

    func availability(of bot: BotSeries, now: MonotonicTime) -> BotAvailability {
        if bot.isUp { return .up }
        let own = rings.filter { $0.segment.name.bot == bot.name && $0.drain != nil }
        return own.contains { $0.capture.state == .dead } ? .down : .ended
    }

    func levels(of bot: String) -> [LevelSnapshot] { bots[bot]?.levels ?? [] }

    func snapshots(now: MonotonicTime, named names: Set<String>?) -> [BotSnapshot] {
        bots.values.sorted { $0.series.name < $1.series.name }.map { bot in
            bot.snapshot(
                rings: rings.filter { $0.segment.name.bot == bot.series.name }.compactMap(\.drain), absent: [],
                process: nil, now: now, named: names
            ).withoutWatchedCells
        }
    }
}

/// The reason why captures cannot be replayed.
package struct ReplayError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

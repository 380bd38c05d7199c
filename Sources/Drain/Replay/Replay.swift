package import Configuration
package import Platform
package import RingReader
internal import Rules
package import Series

/// Captured rings once more through the drain, the windows, the objectives and the alerts that were live, by the records' own
/// time. Nothing of this machine, of this process or of the present is in what comes out.
///
/// The time goes on in steps of 10 ms to the next record that is due; over a silence in steps of a second, as the rules want
/// it, and of a minute where it lasts longer than an hour. A counter or gauge is a cell beside the ring, of which a capture knows
/// the last value alone: these are taken at the end, so that rules on rates and values of them find nothing before.
///
/// Thread rule: one thread. Memory: the captures', which are mapped, and the series'.
package final class Replay {
    private let rings: [ReplayedRing]
    private var bots: [String: BotAccount] = [:]
    private let configuration: Configuration
    private let rules: RuleEvaluator
    private var levels: LevelEvaluator
    private let clock = ReplayClock()
    private let version: String

    static let stepNanoseconds: Int64 = 10_000_000
    private static let second: Int64 = 1_000_000_000

    /// - Parameters:
    ///   - captures: One or more, of different rings.
    ///   - configuration: Its windows, quantiles, metric rules, objectives and alerts hold; the rings are those given.
    ///   - logLevel: Of what is said on standard error, in the replay's time.
    /// - Throws: ``CaptureError`` or ``RingError`` for one that cannot be read, ``ReplayError``.
    package init(
        _ captures: [Capture], configuration: Configuration, version: String, logLevel: LogLevel = .info
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
                    "\(ring.segment.path) says that it was captured at a time that no clock shows; it cannot be replayed"
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
    ///   - limit: How long after the first record to stop, in nanoseconds; nil goes on to the last record.
    ///   - interval: How often `show` is called, in nanoseconds of the records' time; nil calls it at the end alone.
    ///   - show: Takes what the collector would have shown then, the last time how it ends.
    package func run(
        until limit: Int64? = nil, every interval: Int64? = nil, show: (Snapshot) throws -> Void
    ) rethrows {
        let begin = clock.now
        let last = rings.map(\.ends).max() ?? begin
        let end = limit.map { min(last, begin.addingReportingOverflow($0).partialValue) } ?? last
        var nextShown = interval.map { begin + $0 }
        turn(to: begin)
        while clock.now < end {
            let next = min(nextTime(after: clock.now), end, nextShown ?? .max)
            turn(to: next)
            if next == nextShown, let interval, next < end {
                try show(snapshot())
                nextShown = next + interval
            }
        }
        conclude()
        try show(snapshot())
    }

    /// The next moment at which there is something to do.
    private func nextTime(after now: MonotonicTime) -> MonotonicTime {
        let due = rings.compactMap(\.due).min() ?? .max
        if due <= now + Self.stepNanoseconds { return now + Self.stepNanoseconds }
        let silence = due - now
        let step = silence > 3600 * Self.second ? 60 * Self.second : Self.second
        // Of a silence longer than any window or objective its end is enough.
        if silence > 31 * 86400 * Self.second { return due - 60 * Self.second }
        return min(due, now + step)
    }

    private func turn(to now: MonotonicTime) {
        clock.now = now
        for bot in bots.values { bot.series.advance(to: now) }
        for ring in rings {
            if ring.drain == nil, ring.begins <= now { ring.begin(bot(ring.segment.name.bot), now: now) }
            ring.read(now: now)
        }
        rules.doWork(self, now: now)
        levels.doWork(self, now: now)
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

    /// Takes the cells as the captures have them, and lets the rules look once more.
    private func conclude() {
        let now = clock.now
        for ring in rings { ring.drain?.sampleCells(options: configuration.series, now: now) }
        for bot in bots.values { bot.series.sampleCounters(now: now) }
        rules.conclude(self, now: now)
    }

    private func snapshot() -> Snapshot {
        var snapshot = Snapshot(
            unixNanoseconds: clock.now, bots: snapshots(now: clock.now, named: nil),
            collector: .ofReplay(version: version))
        rules.complete(&snapshot, self, now: clock.now)
        return snapshot
    }

    /// What each ring lost, in the order of their names: the ring, the reason, how many records.
    package var losses: [(ring: RingName, reason: LossReason, records: UInt64)] {
        rings.flatMap { ring in
            LossReason.allCases.compactMap { reason in
                guard let lost = ring.drain?.lost[reason], lost > 0 else { return nil }
                return (ring.segment.name, reason, lost)
            }
        }
    }

    /// What could not be registered, by ring.
    package var refusals: [(ring: RingName, reason: String)] {
        rings.flatMap { ring in (ring.drain?.takeRefusals() ?? []).map { (ring.segment.name, $0) } }
    }
}

extension Replay: BotRegistry {
    var botSeries: [BotSeries] { bots.values.map(\.series).sorted { $0.name < $1.name } }

    func presence(of bot: BotSeries) -> BotPresence {
        if bot.isUp { return .up }
        let own = rings.filter { $0.segment.name.bot == bot.name && $0.drain != nil }
        return own.contains { $0.capture.state == .dead } ? .dead : .ended
    }

    func snapshots(now: MonotonicTime, named names: Set<String>?) -> [BotSnapshot] {
        bots.values.sorted { $0.series.name < $1.series.name }.map { bot in
            bot.snapshot(
                rings: rings.filter { $0.segment.name.bot == bot.series.name }.compactMap(\.drain), absent: [],
                process: nil, now: now, named: names
            ).withoutWatchedCells
        }
    }
}

/// Why captures cannot be replayed.
package struct ReplayError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

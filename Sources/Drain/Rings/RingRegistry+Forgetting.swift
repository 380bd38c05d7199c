internal import Configuration
internal import Glibc
internal import Platform
internal import RingReader
internal import Series

/// How a bot that is gone is forgotten: its series leave memory, exports and checkpoints. The history keeps what it has.
extension RingRegistry {
    /// Why a bot is not forgotten.
    enum ForgetRefusal: Error, Equatable {
        case unknown
        case isRunning(pid: Int32)
    }

    /// How often it is looked who has been gone for long.
    static let forgetIntervalNanoseconds: Int64 = 1_000_000_000

    /// Forgets a bot now.
    ///
    /// - Throws: ``ForgetRefusal``; nothing has changed then.
    func forget(_ name: String, why: String) throws(ForgetRefusal) {
        guard let bot = bots[name] else { throw .unknown }
        let own = rings.filter { $0.segment.name.bot == name }
        if let running = own.first(where: \.segment.isProducerAlive) {
            throw .isRunning(pid: running.newestLife?.pid ?? 0)
        }
        for ring in own {
            forgotten.add(ring.state, ring.segment)
            unlinked.remove(ring.segment.ringID)
        }
        rings.removeAll { $0.segment.name.bot == name }
        for state in absent.values.filter({ $0.name.bot == name }) {
            absent[state.name] = nil
            // One whose file lies there all the same is one that the configuration leaves.
            if access(directory.path(of: state.name), F_OK) == 0 {
                forgotten.add(state, nil)
            } else {
                past.insert(state.ringID)
            }
        }
        superseded.removeAll { $0.bot == name }
        droppedSeries += bot.series.keptNames.map { Checkpoint.Removed(bot: name, key: $0) }
        bots[name] = nil
        processes.forget(bot: name)
        gone.forget(name)
        budget.forget(bot: name)
        forgottenCount += 1
        forgottenNames.append(name)
        logger.info("bot forgotten: its series leave", [("bot", "\(name)"), ("reason", "\(why)")])
    }

    /// Forgets the bots that have been gone for as long as the configuration says.
    func forgetOld(now: MonotonicTime) {
        guard now >= nextForgetting else { return }
        nextForgetting = now + Self.forgetIntervalNanoseconds
        let alive = rings.filter { $0.lane.isUp || $0.isLaidAside && $0.segment.isProducerAlive }
        let names = Set(alive.map(\.segment.name.bot))
        let withRing = botsWithRing
        for (bot, age) in gone.look(at: bots.keys.filter { !names.contains($0) }, now: now) {
            let hasRing = withRing.contains(bot)
            let limit =
                hasRing
                ? limits.forgetAfterNanoseconds
                : min(limits.forgetAfterNanoseconds, limits.forgetRemovedAfterNanoseconds)
            guard age >= limit else { continue }
            let key = hasRing ? "forget_after" : "forget_removed_after"
            try? forget(bot, why: "it has been gone for \(age / 1_000_000_000) s, which is \(key) or longer")
        }
    }

    /// Bots of which a ring still lies in the ring directory.
    private var botsWithRing: Set<String> {
        Set(rings.map(\.segment.name.bot))
            .union(absent.keys.filter { access(directory.path(of: $0), F_OK) == 0 }.map(\.bot))
    }

    /// Takes the bounds that hold from here on; bots and series that are there stay.
    func use(_ limits: BotLimits) {
        self.limits = limits
        budget.limit = limits.maximumSeriesTotal
    }

    /// Whether there is no room for a bot of that name; the refusal is counted and named.
    func isFull(for bot: String) -> Bool {
        guard bots[bot] == nil, bots.count >= limits.maximumBots else { return false }
        refusedBots.insert(bot)
        return true
    }

    /// Says once that bots or series are refused, and again after none were.
    func sayRefused() {
        if refusedBots.isEmpty != !hasSaidRefused.bots {
            hasSaidRefused.bots = !refusedBots.isEmpty
            if hasSaidRefused.bots {
                logger.warn(
                    "rings not read: the collector has as many bots as max_bots allows; forget some that are gone",
                    [
                        ("max_bots", .integer(Int64(limits.maximumBots))),
                        ("refused", .integer(Int64(refusedBots.count))), ("bot", .text(refusedBots.min() ?? "")),
                    ])
            }
        }
        if budget.refused.isEmpty != !hasSaidRefused.series {
            hasSaidRefused.series = !budget.refused.isEmpty
            if hasSaidRefused.series {
                logger.warn(
                    "series refused: the collector has as many as max_series_total allows; their records are lost as refused",
                    [
                        ("max_series_total", .integer(Int64(limits.maximumSeriesTotal))),
                        ("bot", .text(budget.refused.keys.min() ?? "")),
                    ])
            }
        }
    }

    /// What is shown of bounds and of who was refused.
    var limitStatus: LimitStatus {
        LimitStatus(
            bots: bots.count, maximumBots: limits.maximumBots, refusedBots: refusedBots.sorted(), series: budget.count,
            maximumSeries: limits.maximumSeriesTotal, refusedSeries: budget.refused, forgottenBots: forgottenCount)
    }
}

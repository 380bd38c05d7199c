internal import Platform
internal import RingReader

/// Forgets bots that are gone: their series are removed from memory, exports and checkpoints. The history keeps its
/// data.
extension RingRegistry {
    /// The reason why a bot is not forgotten.
    enum ForgetRefusal: Error, Equatable {
        case unknown
        case isRunning(pid: Int32)
    }

    /// Forgets a bot now.
    ///
    /// - Throws: ``ForgetRefusal``; then nothing has changed.
    func forget(_ name: String, why: String) throws(ForgetRefusal) {
        guard let bot = bots[name] else { throw .unknown }
        let own = openRings.of(bot: name)
        if let running = own.first(where: \.segment.isProducerAlive) {
            throw .isRunning(pid: running.newestLife?.pid ?? 0)
        }
        for ring in own {
            forgotten.add(ring.state, ring.segment)
            unlinked.remove(ring.segment.ringID)
        }
        openRings.remove(bot: name)
        for state in restored.take(bot: name) {
            // If the file exists nevertheless, the configuration excludes the ring.
            if directory.holds(state.name) { forgotten.add(state, nil) } else { past.insert(state.ringID) }
        }
        forgottenBots.add(name, series: bot.series.checkpointKeys)
        bots.remove(name)
        processes.forget(bot: name)
        gone.forget(name)
        bounds.budget.forget(bot: name)
        logger.info("bot forgotten; its series are removed", [("bot", "\(name)"), ("reason", "\(why)")])
    }

    /// Forgets the bots that have been gone for as long as the configuration allows.
    func forgetOld(now: MonotonicTime) {
        guard now >= nextForgetting else { return }
        nextForgetting = now + Self.forgetIntervalNanoseconds
        let alive = rings.filter { $0.lane.isUp || $0.isExcluded && $0.segment.isProducerAlive }
        let names = Set(alive.map(\.segment.name.bot))
        let withRing = botsWithRing
        let limits = bounds.limits
        for (bot, age) in gone.look(at: bots.names.filter { !names.contains($0) }, now: now) {
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

    /// Bots with a ring in the ring directory.
    private var botsWithRing: Set<String> {
        Set(rings.map(\.segment.name.bot))
            .union(restored.states.map(\.name).filter(directory.holds).map(\.bot))
    }

    /// Returns the names of bots that were forgotten since the last call.
    func takeForgottenNames() -> [String] { forgottenBots.takeNames() }
}

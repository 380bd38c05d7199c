import Ringside

extension TradingBot {
    /// Blocks the bot's thread while the fault `deadlock` holds. The bot writes nothing, but its process lives.
    func waitInDeadlock(_ stop: StopFlag) {
        while faults.isActive(.deadlock, at: monotonicNanoseconds()), !stop.isSet { sleepNanoseconds(20_000_000) }
    }

    /// Begins and ends the bot's own faults. The venue's faults are in the venue's thread.
    mutating func applyFaults(at now: Int64) {
        setFeed(connected: !faults.isActive(.disconnect, at: now), at: now)
        setClock(skewNanoseconds: faults.isActive(.clockSkew, at: now) ? 1_000_000_000 : 0)
        condition.isFeedDamaged = faults.isActive(.badFeed, at: now)
        condition.isBursting = faults.isActive(.burst, at: now)
        condition.isRiskCheckSlow = faults.isActive(.slowRisk, at: now)
        condition.isModelFailing = faults.isActive(.modelFailure, at: now)
        setKillSwitch(faults.isActive(.killSwitch, at: now))
        condition.injectedLossUSD = faults.isActive(.lossLimit, at: now) ? limits.dailyLossUSD * 1.5 : 0
        setBreaker(dailyLossUSD > limits.dailyLossUSD)
    }

    /// The loss that the risk check uses.
    var dailyLossUSD: Double { portfolio.dailyLossUSD(markUSD: markUSD) + condition.injectedLossUSD }

    /// Begins or ends the loss of the feed. Without a feed there is nothing to quote on, and the book is void, since it
    /// misses messages.
    private mutating func setFeed(connected: Bool, at now: Int64) {
        if !connected { retryFeed(at: now) }
        guard connected != condition.isFeedConnected else { return }
        condition.isFeedConnected = connected
        instruments.data.isConnected.set(connected ? 1 : 0)
        if connected {
            instruments.data.gaps.increment()
        } else {
            cancelAll(.marketDataLost)
            forgetMarket()
        }
    }

    /// Retries the feed at intervals. The first retry comes one interval after the loss.
    private mutating func retryFeed(at now: Int64) {
        if !condition.isFeedConnected {
            guard now >= nextFeedConnectionNanoseconds else { return }
            instruments.data.connectionFailures.increment()
        }
        nextFeedConnectionNanoseconds = now + Self.reconnectNanoseconds
    }

    /// Sets the skew of the bot's clock. While the clocks are apart no message is accepted, so the book becomes void.
    private mutating func setClock(skewNanoseconds: Int64) {
        guard skewNanoseconds != condition.clockSkewNanoseconds else { return }
        condition.clockSkewNanoseconds = skewNanoseconds
        cancelAll(.marketDataLost)
        forgetMarket()
    }

    private mutating func setKillSwitch(_ isThrown: Bool) {
        guard isThrown != condition.isKilled else { return }
        condition.isKilled = isThrown
        instruments.limits.isKillSwitchActive.set(isThrown ? 1 : 0)
        if isThrown {
            instruments.limits.killSwitchTrips.increment()
            cancelAll(.killSwitch)
        }
    }

    /// Opens or closes the circuit breaker. While it is open the risk check refuses every order. Resting orders are
    /// withdrawn once.
    private mutating func setBreaker(_ isTripped: Bool) {
        guard isTripped != condition.isBreakerTripped else { return }
        condition.isBreakerTripped = isTripped
        instruments.limits.isCircuitBreakerActive.set(isTripped ? 1 : 0)
        if isTripped { cancelAll(.circuitBreaker) }
    }
}

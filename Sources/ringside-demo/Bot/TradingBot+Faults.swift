import Ringside

extension TradingBot {
    /// Lets the faults that are the bot's begin and end; those of the venue are in its own thread.
    mutating func applyFaults(at now: Int64) {
        setFeed(connected: !faults.isActive(.disconnect, at: now))
        setKillSwitch(faults.isActive(.killSwitch, at: now))
        condition.injectedLossUSD = faults.isActive(.lossLimit, at: now) ? limits.dailyLossUSD * 1.5 : 0
        setBreaker(dailyLossUSD > limits.dailyLossUSD)
    }

    /// The loss that the risk check sees.
    var dailyLossUSD: Double { portfolio.dailyLossUSD(markUSD: markUSD) + condition.injectedLossUSD }

    /// Without a feed there is nothing to quote on; once it is back, the book that missed messages is void.
    private mutating func setFeed(connected: Bool) {
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

    private mutating func setKillSwitch(_ isThrown: Bool) {
        guard isThrown != condition.isKilled else { return }
        condition.isKilled = isThrown
        instruments.limits.isKillSwitchActive.set(isThrown ? 1 : 0)
        if isThrown {
            instruments.limits.killSwitchTrips.increment()
            cancelAll(.killSwitch)
        }
    }

    /// While the breaker is open the risk check refuses every order; what rests is withdrawn once.
    private mutating func setBreaker(_ isTripped: Bool) {
        guard isTripped != condition.isBreakerTripped else { return }
        condition.isBreakerTripped = isTripped
        instruments.limits.isCircuitBreakerActive.set(isTripped ? 1 : 0)
        if isTripped { cancelAll(.circuitBreaker) }
    }
}

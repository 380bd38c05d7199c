/// A button of the page.
enum PageAction: String, CaseIterable {
    case buy, sell
    case slowRisk = "slow-risk"
    case venueAway = "venue-away"
    case burst, stop, crash

    /// The text of the button.
    var title: String {
        switch self {
        case .buy: "Buy"
        case .sell: "Sell"
        case .slowRisk: "Slow risk check"
        case .venueAway: "Venue away"
        case .burst: "Burst"
        case .stop: "Stop for \(BotProcess.stopSeconds)\u{A0}s"
        case .crash: "Crash and come back"
        }
    }

    /// The effect, in a few words below the title.
    var hint: String {
        switch self {
        case .buy, .sell: "100 shares, at once"
        case .slowRisk: "5\u{A0}ms each, for 15\u{A0}s"
        case .venueAway: "for 10\u{A0}s"
        case .burst: "full speed, for 0.5\u{A0}s"
        case .stop: "SIGSTOP, then SIGCONT"
        case .crash: "SIGKILL, up after \(BotProcess.downSeconds)\u{A0}s"
        }
    }

    /// Whether all bots have it, since they run in one process.
    var concernsAll: Bool { self == .stop || self == .crash }

    /// Returns the command to the bots; nil for a signal to their process.
    func command(bot number: Int) -> String? {
        switch self {
        case .buy: "buy \(number)"
        case .sell: "sell \(number)"
        case .slowRisk: "fault \(number):slow-risk@0+15"
        case .venueAway: "fault \(number):api-down@0+10"
        case .burst: "fault \(number):burst@0+0.5"
        case .stop, .crash: nil
        }
    }
}

/// What a button has done, and where the collector's page shows it.
struct PageAnswer: Equatable {
    let done: String
    let look: String
    /// The part of the address after the collector's own.
    let route: String

    /// - Parameters:
    ///   - bot: The bot's name.
    ///   - hasSmallRing: Whether its ring is one that a burst overruns.
    ///   - hasPauseMeter: Whether the first bot has a ring of pauses.
    init(_ action: PageAction, bot: String, hasSmallRing: Bool, first: String, hasPauseMeter: Bool) {
        switch action {
        case .buy, .sell:
            done = "\(bot) sends an order: \(action == .buy ? "buy" : "sell") 100 shares at the market."
            look = "Its net exposure moves, and orders_submitted_total of order_type=MARKET counts it."
            route = "#/bot/\(bot)/strategy_portfolio_net_exposure_usd"
        case .slowRisk:
            done = "For 15 s each order of \(bot) waits 5 ms in its risk check."
            look = "The p99 of check_type=position rises above 5 ms, and falls back with the window."
            route = "#/bot/\(bot)/risk_pretrade_check_latency_seconds?label.check_type=position"
        case .venueAway:
            done = "The venue of \(bot) is away for 10 s: it refuses connections, and all orders are withdrawn."
            look =
                "execution_api_up is 0. The alert execution_api_down fires after 5 s, and resolves 30 s after the end."
            route = "#/alerts"
        case .burst:
            done = "For half a second the feed of \(bot) sends as fast as the bot can take it."
            look =
                hasSmallRing
                ? "Its ring is small: records are overwritten before they are read. They are counted as lost, and the "
                    + "windows say that they are incomplete."
                : "The rate of messages jumps. Its ring is large enough, so nothing should be lost."
            route = "#/bot/\(bot)"
        case .stop:
            done = "All bots are stopped for \(BotProcess.stopSeconds) s, as by a debugger or a frozen machine."
            look =
                hasPauseMeter
                ? "The longest pause in runtime_pause_seconds is \(BotProcess.stopSeconds) s."
                : "The maximum of data_freshness_seconds is \(BotProcess.stopSeconds) s."
            route = "#/bot/\(first)/\(hasPauseMeter ? "runtime_pause_seconds" : "data_freshness_seconds")"
        case .crash:
            done = "All bots were killed. They come back after \(BotProcess.downSeconds) s, with the same rings."
            look = "They are down, and bot_down fires; then they are up, and their counters go on where they were."
            route = "#/"
        }
    }
}

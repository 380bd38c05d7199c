import RingsideCatalogue

// The label values of the bot's own types.

extension BarDuration {
    var label: Label.Duration {
        switch self {
        case .minute: .minute
        case .fiveMinutes: .fiveMinutes
        case .hour: .hour
        case .day: .day
        }
    }
}

extension Topic {
    var label: Label.Topic {
        switch self {
        case .marketData: "market_data"
        case .bars: "bars"
        case .orders: "orders"
        }
    }
}

extension SignalDirection {
    var label: Label.SignalDirection {
        switch self {
        case .buy: .buy
        case .sell: .sell
        case .flat: .flat
        }
    }
}

extension Regime {
    var whenLeft: Label.FromRegime {
        switch self {
        case .calm: .calm
        case .normal: .normal
        case .storm: .storm
        }
    }

    var whenEntered: Label.ToRegime {
        switch self {
        case .calm: .calm
        case .normal: .normal
        case .storm: .storm
        }
    }
}

extension RiskCheck {
    var label: Label.CheckType {
        switch self {
        case .dailyLoss: "daily_loss"
        case .position: "position"
        case .notional: "notional"
        case .priceCollar: "price_collar"
        }
    }
}

extension TargetInventory.Status {
    var label: Label.SolveStatus {
        switch self {
        case .optimal: "optimal"
        case .iterationLimit: "iteration_limit"
        }
    }
}

extension VenueRejection {
    var label: Label.Reason {
        switch self {
        case .invalid: "invalid"
        case .wouldCross: "would_cross"
        case .priceBand: "price_band"
        case .rateLimit: "rate_limit"
        }
    }
}

/// Why an order was withdrawn: a label of `orders_cancelled_total`.
enum CancelReason: Int, CaseIterable, Sendable {
    case requote, unfilled, marketDataLost, halt, killSwitch, circuitBreaker, venueDown, sessionEnd, shutdown

    var label: Label.Reason {
        switch self {
        case .requote: "requote"
        case .unfilled: "unfilled"
        case .marketDataLost: "market_data_lost"
        case .halt: "halt"
        case .killSwitch: "kill_switch"
        case .circuitBreaker: "circuit_breaker"
        case .venueDown: "venue_down"
        case .sessionEnd: "session_end"
        case .shutdown: "shutdown"
        }
    }
}

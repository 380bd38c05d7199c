/// The facts that are known of a series before any bot has it. They suffice to tell that a rule can never fire.
package struct SeriesFacts: Equatable, Sendable {
    package enum Kind: String, Sendable {
        case counter
        case upDownCounter = "up-down counter"
        case gauge, histogram

        /// Whether the series has a total whose increase is counted.
        var isCounted: Bool { self != .gauge }
    }

    package var kind: Kind
    /// The values that the series can have; for a histogram, the values recorded.
    package var range: ClosedRange<Double>

    package init(_ kind: Kind, range: ClosedRange<Double> = -.infinity...(.infinity)) {
        self.kind = kind
        self.range = kind == .counter ? Self.positive : range
    }

    package static let positive: ClosedRange<Double> = 0...(.infinity)
    /// A series that is 0 or 1.
    package static let flag = SeriesFacts(.gauge, range: 0...1)

    /// Derives the kind from the name. The name of a counter ends in `_total`, and no other name may.
    package init?(ofName name: String) {
        guard name.hasSuffix("_total") else { return nil }
        self.init(.counter)
    }
}

/// The reason why a rule can never fire.
package struct UnsatisfiableRule: Equatable, Sendable {
    /// The key that is wrong.
    package var key: String
    package var reason: String
}

extension AlertDefinition {
    /// - Parameters:
    ///   - facts: The facts of the alert's instrument; nil if nothing is known.
    ///   - divisor: The facts of its divisor; nil if nothing is known.
    /// - Returns: The reason why it can never fire; nil if it may fire.
    package func impossibility(_ facts: SeriesFacts?, divisor: SeriesFacts?) -> UnsatisfiableRule? {
        if let facts, let problem = mismatch(instrument, facts, key: "statistic") { return problem }
        if let divisor, let name = self.divisor, let problem = mismatch(name, divisor, key: "divided_by") {
            return problem
        }
        let range = range(facts, divisor)
        let isPossible =
            switch comparison {
            case .above: range.upperBound > threshold
            case .atLeast: range.upperBound >= threshold
            case .below: range.lowerBound < threshold
            case .atMost: range.lowerBound <= threshold
            }
        guard !isPossible else { return nil }
        let (bound, word) =
            comparison.asksForMore ? (range.upperBound, "more") : (range.lowerBound, "less")
        return UnsatisfiableRule(
            key: "threshold",
            reason:
                "it can never fire: \(quantity) is never \(word) than \(bound.shortText); choose a threshold that it can pass"
        )
    }

    private func mismatch(_ name: String, _ facts: SeriesFacts, key: String) -> UnsatisfiableRule? {
        func problem(_ what: String, _ remedy: String) -> UnsatisfiableRule {
            UnsatisfiableRule(
                key: key,
                reason: "it can never fire: \(name) is a \(facts.kind.rawValue), which has no \(what); \(remedy)")
        }
        let histogramRemedy = "use a quantile such as \"p99\", \"rate\" or \"increase\""
        switch statistic {
        case .quantile where facts.kind != .histogram:
            return problem("quantiles", facts.kind == .gauge ? "use \"value\"" : "use \"rate\" or \"increase\"")
        case .value, .growth, .age:
            return facts.kind == .histogram ? problem("value", histogramRemedy) : nil
        case .increase, .rate, .ratio, .rateToMedian:
            return facts.kind.isCounted ? nil : problem("increase", "use \"value\" or \"growth\"")
        case .quantile, .absent, .stale: return nil
        }
    }

    /// Returns the values that the statistic can have.
    private func range(_ facts: SeriesFacts?, _ other: SeriesFacts?) -> ClosedRange<Double> {
        let all = -Double.infinity...Double.infinity
        let isQuotient = divisor != nil
        if isQuotient, divisor == instrument, labels.isEmpty { return 1...1 }
        guard let facts else { return statistic == .stale ? SeriesFacts.positive : all }
        let neverFalls = facts.kind == .counter || facts.kind == .histogram
        switch statistic {
        case .value where isQuotient:
            return facts.range.lowerBound >= 0 && (other?.range.lowerBound ?? -1) >= 0 ? SeriesFacts.positive : all
        case .value, .quantile: return facts.range
        case .increase, .rate, .rateToMedian: return neverFalls ? SeriesFacts.positive : all
        case .ratio:
            let neitherFalls = neverFalls && other.map { $0.kind == .counter || $0.kind == .histogram } ?? false
            return neitherFalls ? SeriesFacts.positive : all
        case .growth: return facts.range.lowerBound >= 0 ? -1...(.infinity) : all
        case .stale: return SeriesFacts.positive
        case .age, .absent: return all
        }
    }
}

extension ObjectiveDefinition {
    /// - Parameter facts: The facts of the objective's instrument; nil if nothing is known.
    /// - Returns: The reason why it can never be violated; nil if it may be violated.
    package func impossibility(_ facts: SeriesFacts?) -> UnsatisfiableRule? {
        guard let rule, let facts else { return nil }
        guard facts.kind == .histogram else {
            return UnsatisfiableRule(
                key: "instrument",
                reason:
                    "it can never be violated: \(rule.instrument) is a \(facts.kind.rawValue); an objective needs a histogram"
            )
        }
        return nil
    }
}

extension Double {
    /// The number as text; a whole number has no decimal point.
    fileprivate var shortText: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}

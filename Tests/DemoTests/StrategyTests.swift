import Testing

@testable import ringside_demo

@Suite("Portfolio")
struct PortfolioTests {
    @Test("a round trip realizes the difference, and what is open is valued at the mark")
    func roundTrip() {
        var portfolio = Portfolio()
        portfolio.fill(.buy, size: 100, priceUSD: 10)
        portfolio.fill(.buy, size: 100, priceUSD: 12)
        #expect(portfolio.averageCostUSD == 11 && portfolio.unrealizedUSD(markUSD: 12) == 200)
        portfolio.fill(.sell, size: 50, priceUSD: 13)
        #expect(portfolio.realizedUSD == 100 && portfolio.position == 150)
        portfolio.fill(.sell, size: 250, priceUSD: 9)
        #expect(portfolio.realizedUSD == -200 && portfolio.position == -100 && portfolio.averageCostUSD == 9)
        #expect(portfolio.netExposureUSD(markUSD: 10) == -1_000)
    }

    @Test("a commission is a loss at once, whatever becomes of the position")
    func commission() {
        var portfolio = Portfolio()
        portfolio.fill(.sell, size: 100, priceUSD: 50, commissionUSD: 0.25)
        #expect(portfolio.totalUSD(markUSD: 50) == -0.25 && portfolio.dailyLossUSD(markUSD: 50) == 0.25)
    }

    @Test("profit equals cash plus position after any fills", arguments: 1...6)
    func equalsCash(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var portfolio = Portfolio()
        var cash = 0.0
        var position = 0
        for _ in 0..<500 {
            let side: Side = random.below(2) == 0 ? .buy : .sell
            let size = 1 + random.below(300)
            let price = 90 + random.unit() * 20
            portfolio.fill(side, size: size, priceUSD: price)
            cash -= Double(size * side.sign) * price
            position += size * side.sign
            #expect(portfolio.position == position)
            #expect(abs(portfolio.totalUSD(markUSD: 101.5) - (cash + Double(position) * 101.5)) < 1e-6)
        }
    }

    @Test("the daily loss is measured from the session's start and never below 0")
    func dailyLoss() {
        var portfolio = Portfolio()
        portfolio.fill(.buy, size: 10, priceUSD: 100)
        #expect(portfolio.dailyLossUSD(markUSD: 90) == 100 && portfolio.dailyLossUSD(markUSD: 110) == 0)
        portfolio.startSession(markUSD: 90)
        #expect(portfolio.dailyLossUSD(markUSD: 90) == 0 && portfolio.dailyLossUSD(markUSD: 85) == 50)
    }
}

@Suite("Risk")
struct RiskTests {
    private let limits = RiskLimits()
    private let intent = OrderIntent(side: .buy, size: 100, price: 1_000_000, isImmediate: false)
    private let state = RiskState(
        position: 0, workingBuyShares: 0, workingSellShares: 0, dailyLossUSD: 0, midUSD: 100)

    @Test("a modest order passes every check", arguments: RiskCheck.allCases)
    func passes(check: RiskCheck) {
        #expect(limits.passes(check, intent, state))
    }

    @Test("a loss above the limit, and only above it, refuses")
    func dailyLoss() {
        var state = state
        state.dailyLossUSD = limits.dailyLossUSD
        #expect(limits.passes(.dailyLoss, intent, state))
        state.dailyLossUSD += 0.01
        #expect(!limits.passes(.dailyLoss, intent, state))
    }

    @Test("working orders of the same side count as if they were filled; the other side may always reduce")
    func position() {
        var state = state
        state.position = limits.positionShares - 150
        #expect(limits.passes(.position, intent, state))
        state.workingBuyShares = 100
        #expect(!limits.passes(.position, intent, state))
        var selling = intent
        selling.side = .sell
        #expect(limits.passes(.position, selling, state))
    }

    @Test("too much money and too strange a price refuse")
    func notionalAndCollar() {
        var large = intent
        large.size = 2_501
        #expect(!limits.passes(.notional, large, state))
        var strange = intent
        strange.price = 1_021_000
        #expect(!limits.passes(.priceCollar, strange, state))
        strange.price = 1_019_000
        #expect(limits.passes(.priceCollar, strange, state))
    }
}

@Suite("Quoter")
struct QuoterTests {
    private let quoter = Quoter()
    private let top = TopOfBook(bidPrice: 5_850_000, askPrice: 5_850_800, bidSize: 100, askSize: 100)

    private func quotes(strength: Double = 0, position: Int = 0, regime: Regime = .normal) -> QuotePair {
        quoter.quotes(top, strength: strength, position: position, regime: regime)
    }

    @Test("without a view and an inventory it joins both best prices, on whole ticks")
    func joins() {
        #expect(quotes() == QuotePair(bid: 5_850_000, ask: 5_850_800))
    }

    @Test("a view moves both quotes its way, an inventory moves them against it, a storm moves them apart")
    func skews() throws {
        let calm = quotes()
        let bid = try #require(calm.bid)
        let ask = try #require(calm.ask)
        #expect(quotes(strength: 1).bid! > bid && quotes(strength: 1).ask! > ask)
        #expect(quotes(position: 300).bid! < bid && quotes(position: 300).ask! < ask)
        #expect(quotes(regime: .storm).bid! < bid && quotes(regime: .storm).ask! > ask)
    }

    @Test("at its limit it quotes only the side that reduces, and hedges across the spread")
    func hedges() {
        #expect(quotes(position: 600).bid == nil && quotes(position: 600).ask != nil)
        #expect(quotes(position: -600).ask == nil && quotes(position: -600).bid != nil)
        #expect(quoter.hedge(top, position: 599, tradedShares: 1e6) == nil)
        // The size is a tenth of the traded shares, at least a lot, and never more than wanted.
        for (traded, size) in [(1e6, 200), (2_000, 200), (1_500, 150), (999, 100), (0, 100)] {
            let hedge = quoter.hedge(top, position: -600, tradedShares: traded)
            #expect(hedge?.intent == OrderIntent(side: .buy, size: size, price: top.askPrice, isImmediate: true))
            #expect(hedge?.isDownscaled == (size < 200))
        }
    }

    @Test("the target inventory is the best of all inventories, within its limit")
    func targetInventory() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            let (position, strength) = (random.below(1_201) - 600, random.unit() * 2 - 1)
            let regime = Regime.allCases[random.below(3)]
            var target = TargetInventory()
            while target.solve(position: position, strength: strength, regime: regime) != .optimal {}
            func cost(_ shares: [Double]) -> Double {
                let risk = 0.2 + Double(regime.rawValue)
                var (total, before, view) = (0.0, Double(position), strength * 100)
                for held in shares {
                    total += risk * held * held / 2 + (held - before) * (held - before) / 2 - view * held
                    (before, view) = (held, view / 2)
                }
                return total
            }
            #expect(target.shares.allSatisfy { abs($0) <= TargetInventory.limitShares })
            let best = cost(target.shares)
            for _ in 0..<50 {
                let other = target.shares.map { min(200, max(-200, $0 + (random.unit() - 0.5) * 40)) }
                // The solver stops within half a share.
                #expect(cost(other) > best - 2)
            }
        }
    }

    @Test("quotes are whole ticks and the bid lies below the ask, whatever the market", arguments: 1...4)
    func areSound(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<1_000 {
            let bid = Price(1 + random.below(100_000)) * Quoter.tick
            let top = TopOfBook(
                bidPrice: bid, askPrice: bid + Price(1 + random.below(50)) * Quoter.tick,
                bidSize: 1 + Int64(random.below(900)), askSize: 1 + Int64(random.below(900)))
            let pair = quoter.quotes(
                top, strength: random.unit() * 2 - 1, position: random.below(1_201) - 600, regime: .normal)
            for price in [pair.bid, pair.ask].compactMap({ $0 }) { #expect(price % Quoter.tick == 0) }
            if let bid = pair.bid, let ask = pair.ask { #expect(bid < ask && bid > 0) }
        }
    }
}

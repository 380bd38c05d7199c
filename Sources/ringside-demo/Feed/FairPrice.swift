/// The price that the traders of the generated market hold to be fair. It is a random walk whose steps are small,
/// ordinary or large for some minutes at a time: a Markov chain of volatilities, as in Hamilton, "A new approach to the
/// economic analysis of nonstationary time series", Econometrica 57, 1989. A faint pull home keeps years of it near.
struct FairPrice {
    /// 585 USD.
    private static let homeTicks = 58_500.0
    /// Standard deviations of the step of one message: half a basis point, 2 and 5 basis points a minute.
    private static let stepTicks = [0.04, 0.13, 0.4]
    /// Messages between two changes of the volatility, on average: some seven minutes.
    private static let meanStay = 40_000.0
    /// Keeps the walk within some 2 % of home.
    private static let pull = 5e-8

    private(set) var ticks = FairPrice.homeTicks
    private var step = FairPrice.stepTicks[1]

    var wholeTicks: Price { Price(ticks.rounded()) }

    mutating func move(_ random: inout SeededRandom) {
        if random.unit() < 1 / Self.meanStay { step = Self.stepTicks[random.below(Self.stepTicks.count)] }
        ticks += step * random.roughlyNormal() + (Self.homeTicks - ticks) * Self.pull
        ticks = max(ticks, 1)
    }
}

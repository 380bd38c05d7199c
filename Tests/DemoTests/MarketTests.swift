import Testing

@testable import ringside_demo

@Suite("Candles")
struct CandleTests {
    @Test("a candle holds the first, highest, lowest and last price and all shares of its interval")
    func holdsTrades() {
        var builder = CandleBuilder(durationNanoseconds: 100)
        for (price, time) in [(50, 205), (80, 220), (20, 230), (60, 299)] as [(Price, Int64)] {
            #expect(builder.addTrade(price: price, size: 10, timeNanoseconds: time) == nil)
        }
        let closed = builder.addTrade(price: 70, size: 5, timeNanoseconds: 300)
        #expect(closed?.startNanoseconds == 200)
        #expect(closed?.open == 50 && closed?.high == 80 && closed?.low == 20 && closed?.close == 60)
        #expect(closed?.volume == 40 && closed?.tradeCount == 4)
        #expect(builder.current?.open == 70)
    }

    @Test("intervals without a trade make no candle, and a late trade never changes a closed one")
    func skipsAndKeeps() {
        var builder = CandleBuilder(durationNanoseconds: 100)
        _ = builder.addTrade(price: 1, size: 1, timeNanoseconds: 50)
        #expect(builder.addTrade(price: 2, size: 1, timeNanoseconds: 950)?.startNanoseconds == 0)
        #expect(builder.addTrade(price: 3, size: 1, timeNanoseconds: 20) == nil)
        #expect(builder.finish()?.tradeCount == 2)
        #expect(builder.finish() == nil)
    }

    @Test("no trade is lost or counted twice, and candles tile the time", arguments: 1...5)
    func keepsVolume(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var builder = CandleBuilder(durationNanoseconds: 1_000)
        var candles: [Candle] = []
        var time: Int64 = 0
        var volume: Int64 = 0
        for _ in 0..<2_000 {
            time += Int64(random.below(700))
            let size = Int64(1 + random.below(100))
            volume += size
            let price = Price(1 + random.below(500))
            candles += builder.addTrade(price: price, size: size, timeNanoseconds: time).map { [$0] } ?? []
        }
        candles += builder.finish().map { [$0] } ?? []
        #expect(candles.reduce(0) { $0 + $1.volume } == volume)
        #expect(candles.reduce(0) { $0 + $1.tradeCount } == 2_000)
        for (earlier, later) in zip(candles, candles.dropFirst()) {
            #expect(earlier.startNanoseconds < later.startNanoseconds && later.startNanoseconds % 1_000 == 0)
        }
        #expect(candles.allSatisfy { $0.low <= min($0.open, $0.close) && $0.high >= max($0.open, $0.close) })
    }
}

@Suite("Signal and regime")
struct SignalTests {
    private let top = TopOfBook(bidPrice: 100, askPrice: 104, bidSize: 50, askSize: 50)

    @Test(
        "order flow counts what came to and left the best quotes",
        arguments: [
            // At the same price only the change of the size counts, at a better price the whole new queue, at a worse
            // price the whole old one.
            (TopOfBook(bidPrice: 100, askPrice: 104, bidSize: 80, askSize: 50), 30),
            (TopOfBook(bidPrice: 100, askPrice: 104, bidSize: 50, askSize: 80), -30),
            (TopOfBook(bidPrice: 101, askPrice: 104, bidSize: 20, askSize: 50), 20),
            (TopOfBook(bidPrice: 99, askPrice: 104, bidSize: 20, askSize: 50), -50),
            (TopOfBook(bidPrice: 100, askPrice: 103, bidSize: 50, askSize: 20), -20),
            (TopOfBook(bidPrice: 100, askPrice: 105, bidSize: 50, askSize: 20), 50),
        ] as [(TopOfBook, Int64)])
    func orderFlow(next: TopOfBook, flow: Int64) {
        #expect(Signal.orderFlow(from: top, to: next) == flow)
    }

    @Test("a book that fills with buyers points up, one that fills with sellers down by as much")
    func pointsUpAndDown() {
        var rising = Signal()
        var falling = Signal()
        var up = top
        var down = top
        _ = rising.update(up)
        _ = falling.update(down)
        for _ in 0..<20 {
            up.bidSize += 50
            down.askSize += 50
            #expect(rising.update(up) && falling.update(down))
        }
        let (buyers, sellers) = (view(rising, up), view(falling, down))
        #expect(buyers.strength > 0.5 && buyers.strength <= 1)
        #expect(abs(sellers.strength + buyers.strength) < 1e-9)
        #expect(buyers.direction == .buy && sellers.direction == .sell)
    }

    private func view(_ signal: Signal, _ top: TopOfBook) -> Signal.Value {
        Signal.Value(strength: SignalModel().infer(signal.features(top)) ?? .nan)
    }

    @Test("the model has no view of a locked book")
    func lockedBook() {
        var signal = Signal()
        _ = signal.update(top)
        let locked = TopOfBook(bidPrice: top.bidPrice, askPrice: top.bidPrice, bidSize: 1, askSize: 1)
        #expect(SignalModel().infer(signal.features(locked)) == nil)
        #expect(SignalModel().infer(signal.features(top)) != nil)
    }

    @Test("an unchanged top carries no flow, and a reset forgets")
    func staysStill() {
        var signal = Signal()
        var hasFlow = [signal.update(top), signal.update(top)]
        #expect(view(signal, top).direction == .flat)
        signal.reset()
        hasFlow.append(signal.update(TopOfBook(bidPrice: 1, askPrice: 2, bidSize: 1, askSize: 9)))
        #expect(hasFlow == [false, false, false])
    }

    @Test("restless candles bring a storm and quiet ones the calm, without fluttering on a border")
    func regimes() {
        var detector = RegimeDetector()
        func candle(_ close: Price) -> Candle { Candle(startNanoseconds: 0, price: close, size: 1) }
        for index in 0..<40 { _ = detector.add(candle(index % 2 == 0 ? 1_000_000 : 1_010_000)) }
        #expect(detector.regime == .storm)
        for _ in 0..<200 { _ = detector.add(candle(1_000_000)) }
        #expect(detector.regime == .calm)
        let border = RegimeDetector.borders.calm
        #expect(RegimeDetector.next(after: .calm, volatility: border * 1.05) == .calm)
        #expect(RegimeDetector.next(after: .normal, volatility: border * 0.95) == .normal)
    }
}

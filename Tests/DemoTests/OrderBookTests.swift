import Testing

@testable import ringside_demo

@Suite("Order book")
struct OrderBookTests {
    @Test("each kind of message does to the book what LOBSTER says")
    func appliesKinds() {
        var book = OrderBook()
        #expect(book.apply(message(.newOrder, .buy, 100, id: 1, at: 500)) == .applied)
        #expect(book.apply(message(.newOrder, .buy, 50, id: 2, at: 500)) == .applied)
        #expect(book.apply(message(.newOrder, .sell, 70, id: 3, at: 600)) == .applied)
        #expect(book.bestBid?.size == 150 && book.bestAsk?.size == 70)
        #expect(book.apply(message(.partialCancellation, .buy, 30, id: 1, at: 500)) == .applied)
        #expect(book.front(.buy)?.size == 70 && book.bestBid?.size == 120)
        #expect(book.apply(message(.visibleExecution, .buy, 70, id: 1, at: 500)) == .applied)
        #expect(book.front(.buy)?.id == 2 && book.bestBid?.size == 50)
        #expect(book.apply(message(.hiddenExecution, .buy, 40, id: 0, at: 550)) == .applied)
        #expect(book.apply(message(.halt, .sell, 0, id: 0, at: -1)) == .applied)
        #expect(book.bestBid?.size == 50 && book.orderCount == 2)
        #expect(book.apply(message(.deletion, .buy, 50, id: 2, at: 500)) == .applied)
        #expect(book.bestBid == nil && book.bestAsk?.price == 600)
    }

    @Test("messages that do not fit the book are told apart and leave it sound")
    func tellsMisfits() {
        var book = OrderBook()
        #expect(book.apply(message(.deletion, .buy, 5, id: 9, at: 500)) == .unknownOrder)
        #expect(book.apply(message(.visibleExecution, .buy, 5, id: 9, at: 500)) == .unknownOrder)
        #expect(book.apply(message(.newOrder, .buy, 5, id: 1, at: 500)) == .applied)
        #expect(book.apply(message(.newOrder, .sell, 6, id: 1, at: 700)) == .duplicateOrder)
        #expect(book.front(.buy)?.id == 1 && book.bestAsk == nil)
        #expect(book.apply(message(.visibleExecution, .buy, 6, id: 1, at: 500)) == .sizeMismatch)
        #expect(book.orderCount == 0 && book.bestBid == nil)
        #expect(book.apply(message(.newOrder, .sell, 6, id: 2, at: 700)) == .applied)
        #expect(book.apply(message(.deletion, .sell, 1, id: 2, at: 700)) == .sizeMismatch)
        #expect(book.orderCount == 0)
    }

    @Test("orders of one price queue in the order of their coming, whatever leaves the middle")
    func queuesInTime() {
        var book = OrderBook()
        for id in 1...5 as ClosedRange<UInt64> { _ = book.apply(message(.newOrder, .sell, 10, id: id, at: 600)) }
        _ = book.apply(message(.deletion, .sell, 10, id: 3, at: 600))
        #expect(queue(book, .sell) == [1, 2, 4, 5])
        _ = book.apply(message(.deletion, .sell, 10, id: 1, at: 600))
        _ = book.apply(message(.deletion, .sell, 10, id: 5, at: 600))
        #expect(queue(book, .sell) == [2, 4])
        #expect(queue(book, .buy).isEmpty)
    }

    @Test("the book equals a plain list of orders after any messages, fitting or not", arguments: 1...8)
    func equalsModel(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var book = OrderBook()
        var model: [ModelOrder] = []
        for _ in 0..<1_500 {
            let message = randomMessage(&random, model)
            apply(message, to: &model)
            _ = book.apply(message)
            #expect(book.orderCount == model.count)
            check(book, .buy, model)
            check(book, .sell, model)
        }
    }

    @Test("the top needs both sides, uncrossed")
    func topOfBook() {
        var book = OrderBook()
        _ = book.apply(message(.newOrder, .buy, 10, id: 1, at: 500))
        #expect(book.top == nil)
        _ = book.apply(message(.newOrder, .sell, 30, id: 2, at: 600))
        #expect(book.top == TopOfBook(bidPrice: 500, askPrice: 600, bidSize: 10, askSize: 30))
        #expect(book.top?.mid == 550 && book.top?.microprice == 525 && book.top?.imbalance == -0.5)
        _ = book.apply(message(.newOrder, .buy, 10, id: 3, at: 600))
        #expect(book.top == nil)
    }
}

@Suite("Order table")
struct OrderTableTests {
    @Test("it equals a dictionary after any insertions and removals", arguments: 1...6)
    func equalsDictionary(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var table = OrderTable()
        var model: [UInt64: Int] = [:]
        // Few ids, and ids with the same low bits, make long runs that deletions must close.
        let ids = (0..<400).map { _ in seed % 2 == 0 ? random.next() : UInt64(random.below(64)) << 40 }
        for step in 0..<8_000 {
            let id = ids[random.below(ids.count)]
            if model[id] == nil && random.below(3) > 0 {
                table.insert(id, place: step)
                model[id] = step
            } else {
                table.remove(id)
                model[id] = nil
            }
            #expect(table.count == model.count)
            let probe = ids[random.below(ids.count)]
            #expect(table.place(of: probe) == model[probe])
        }
        for id in ids { #expect(table.place(of: id) == model[id]) }
    }
}

private struct ModelOrder {
    let id: UInt64
    let side: Side
    let price: Price
    var size: Int64
}

private func message(
    _ kind: FeedMessage.Kind, _ side: Side, _ size: Int64, id: UInt64, at price: Price
) -> FeedMessage {
    FeedMessage(timeNanoseconds: 0, kind: kind, side: side, size: size, orderID: id, price: price)
}

private func randomMessage(_ random: inout SeededRandom, _ model: [ModelOrder]) -> FeedMessage {
    let kind: FeedMessage.Kind = [.newOrder, .newOrder, .partialCancellation, .deletion, .visibleExecution][
        random.below(5)]
    let known = model.isEmpty || random.below(20) == 0 ? nil : model[random.below(model.count)]
    if kind == .newOrder || known == nil {
        let side: Side = random.below(2) == 0 ? .buy : .sell
        let id = UInt64(random.below(300))
        return message(kind, side, 1 + Int64(random.below(50)), id: id, at: Price(1 + random.below(20)))
    }
    let order = known!
    let size = kind == .deletion ? order.size : 1 + Int64(random.below(40))
    return message(kind, order.side, size, id: order.id, at: order.price)
}

private func apply(_ message: FeedMessage, to model: inout [ModelOrder]) {
    let index = model.firstIndex { $0.id == message.orderID }
    switch (message.kind, index) {
    case (.newOrder, nil):
        model.append(
            ModelOrder(id: message.orderID, side: message.side, price: message.price, size: message.size))
    case (.deletion, let index?): model.remove(at: index)
    case (.partialCancellation, let index?), (.visibleExecution, let index?):
        model[index].size -= message.size
        if model[index].size <= 0 { model.remove(at: index) }
    default: break
    }
}

private func check(_ book: OrderBook, _ side: Side, _ model: [ModelOrder]) {
    let levels = Dictionary(grouping: model.filter { $0.side == side }, by: \.price)
    let ladder = side == .buy ? book.bids : book.asks
    let expected = levels.keys.sorted { side == .buy ? $0 < $1 : $0 > $1 }
    #expect(ladder.levels.map(\.price) == expected)
    for level in ladder.levels {
        #expect(level.size == levels[level.price]?.reduce(0) { $0 + $1.size })
    }
    if let best = ladder.best { #expect(queue(book, side) == levels[best.price]?.map(\.id)) }
}

/// Returns the ids in the queue at a side's best price, in the order of arrival. A copy of the book is emptied from the
/// front.
private func queue(_ book: OrderBook, _ side: Side) -> [UInt64] {
    var book = book
    var ids: [UInt64] = []
    let price = book.front(side)?.price
    while let front = book.front(side), front.price == price {
        ids.append(front.id)
        _ = book.apply(message(.deletion, side, front.size, id: front.id, at: front.price))
    }
    return ids
}

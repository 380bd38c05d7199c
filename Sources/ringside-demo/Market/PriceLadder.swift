/// All orders of one side at one price, as a queue in the order of their arrival.
struct PriceLevel: Equatable {
    let price: Price
    /// Shares that rest here.
    var size: Int64 = 0
    /// Places in the book of the first and the last order of the queue.
    var first: Int32 = -1
    var last: Int32 = -1
}

/// The price levels of one side, sorted so that the best is at the end. Nearly every message concerns a level close to
/// the best, so insertions and removals move few elements.
struct PriceLadder {
    private(set) var levels: [PriceLevel] = []
    private let sign: Price

    init(_ side: Side) { sign = Price(side.rawValue) }

    var best: PriceLevel? { levels.last }

    /// Returns the index of a level; nil if it does not exist.
    func index(of price: Price) -> Int? {
        let index = insertionIndex(price)
        return index < levels.count && levels[index].price == price ? index : nil
    }

    /// Returns the index of the level. Inserts an empty level if there is none.
    mutating func indexInserting(_ price: Price) -> Int {
        let index = insertionIndex(price)
        if index == levels.count || levels[index].price != price {
            levels.insert(PriceLevel(price: price), at: index)
        }
        return index
    }

    mutating func withLevel<Result>(at index: Int, _ body: (inout PriceLevel) -> Result) -> Result {
        body(&levels[index])
    }

    mutating func remove(at index: Int) { levels.remove(at: index) }

    /// Returns the lowest index whose price is not worse.
    private func insertionIndex(_ price: Price) -> Int {
        let key = price * sign
        var low = 0
        var high = levels.count
        while low < high {
            let middle = (low + high) / 2
            if levels[middle].price * sign < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

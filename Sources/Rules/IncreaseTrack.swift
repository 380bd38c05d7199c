package import Series

/// How much a total and another one beside it grew over a window, from looks at them once a second or seldomer.
///
/// Increases are differences of exact totals, and go by the times of the looks to the nanosecond. A look is seldom where the
/// window begins: what came between the two looks around that moment is taken to have come evenly.
///
/// Memory: at most 62 looks.
package struct IncreaseTrack: Sendable {
    package struct Look: Equatable, Sendable {
        package var nanoseconds: Int64
        package var total: ExactTotal
        package var other: ExactTotal

        package init(nanoseconds: Int64, total: ExactTotal, other: ExactTotal) {
            self.nanoseconds = nanoseconds
            self.total = total
            self.other = other
        }
    }

    private(set) var looks: [Look] = []
    private let lengthNanoseconds: Int64
    private let stepNanoseconds: Int64

    init(window: ObjectiveWindow) {
        lengthNanoseconds = window.lengthSeconds * 1_000_000_000
        stepNanoseconds = max(1_000_000_000, lengthNanoseconds / 60)
    }

    /// Goes on from looks that were kept.
    ///
    /// - Parameter looks: In the order of their times; of others, and of those after now, none is taken.
    init(window: ObjectiveWindow, looks: [Look], nowNanoseconds: Int64) {
        self.init(window: window)
        let isOrdered = zip(looks, looks.dropFirst()).allSatisfy { $0.nanoseconds < $1.nanoseconds }
        let last = looks.last?.nanoseconds ?? 0
        if isOrdered, looks.count <= 62, last <= nowNanoseconds { self.looks = looks }
    }

    /// What changed from the beginning of the window to now, and what it was then; nil before the window was watched whole.
    var wholeWindow: (change: Double, beginning: Double)? {
        guard let first = looks.first, let last = looks.last,
            last.nanoseconds - first.nanoseconds >= lengthNanoseconds
        else { return nil }
        return ((last.total - first.total).double, first.total.double)
    }

    /// The increase in the last whole step, and the median of all steps, each as of a step's length; nil before half the window
    /// was watched.
    var lastStepAndMedian: (last: Double, median: Double)? {
        let steps = zip(looks.dropFirst(), looks).filter { $0.nanoseconds - $1.nanoseconds >= stepNanoseconds }
            .map { ($0.total - $1.total).double * (Double(stepNanoseconds) / Double($0.nanoseconds - $1.nanoseconds)) }
        guard let last = steps.last, Int64(steps.count) * stepNanoseconds >= lengthNanoseconds / 2 else { return nil }
        return (last, steps.sorted()[steps.count / 2])
    }

    var isEmpty: Bool { looks.isEmpty }

    /// Adds a look at the totals now.
    mutating func note(_ total: ExactTotal, _ other: ExactTotal, nowNanoseconds now: Int64) {
        let look = Look(nanoseconds: now, total: total, other: other)
        // The last look moves along until it is a step away from the one before it.
        if looks.count > 1, looks[looks.count - 1].nanoseconds - looks[looks.count - 2].nanoseconds < stepNanoseconds {
            looks[looks.count - 1] = look
        } else {
            looks.append(look)
        }
        while looks.count > 2, looks[1].nanoseconds <= now - lengthNanoseconds { looks.removeFirst() }
    }

    /// What came in a window that ends with the last look.
    struct Increase {
        var total: Double
        var other: Double
        /// Whether the window was watched from its beginning; else all that came while it was watched.
        var isWhole: Bool
    }

    /// Nil before there are two looks.
    var increase: Increase? {
        guard looks.count > 1 else { return nil }
        let (first, second, last) = (looks[0], looks[1], looks[looks.count - 1])
        let beginning = last.nanoseconds - lengthNanoseconds
        // What of the time between the first two looks lies in the window.
        let share =
            beginning <= first.nanoseconds
            ? 1 : Double(second.nanoseconds - beginning) / Double(second.nanoseconds - first.nanoseconds)
        func increase(_ total: KeyPath<Look, ExactTotal>) -> Double {
            // Of a total that became infinite in the window no part can be taken.
            let all = (last[keyPath: total] - first[keyPath: total]).double
            guard all.isFinite, share < 1 else { return all }
            let before = (second[keyPath: total] - first[keyPath: total]).double
            return (last[keyPath: total] - second[keyPath: total]).double + share * before
        }
        return Increase(
            total: increase(\.total), other: increase(\.other), isWhole: first.nanoseconds <= beginning)
    }
}

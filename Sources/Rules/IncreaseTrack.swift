/// How much a total and another one beside it grew over a window, from looks at them once a second or seldomer.
///
/// Memory: at most 62 looks.
package struct IncreaseTrack: Sendable {
    package struct Look: Equatable, Sendable {
        package var seconds: Int64
        package var total: Double
        package var other: Double

        package init(seconds: Int64, total: Double, other: Double) {
            self.seconds = seconds
            self.total = total
            self.other = other
        }
    }

    private(set) var looks: [Look] = []
    private let lengthSeconds: Int64
    private let stepSeconds: Int64

    init(window: ObjectiveWindow) {
        lengthSeconds = window.lengthSeconds
        stepSeconds = max(1, window.lengthSeconds / 60)
    }

    /// Goes on from looks that were kept.
    ///
    /// - Parameter looks: In the order of their times; of others, and of those after now, none is taken.
    init(window: ObjectiveWindow, looks: [Look], nowSeconds: Int64) {
        self.init(window: window)
        let isOrdered = zip(looks, looks.dropFirst()).allSatisfy { $0.seconds < $1.seconds }
        let last = looks.last?.seconds ?? 0
        if isOrdered, looks.count <= 62, last <= nowSeconds { self.looks = looks }
    }

    /// What changed from the beginning of the window to now, and what it was then; nil before the window was watched whole.
    var wholeWindow: (change: Double, beginning: Double)? {
        guard let first = looks.first, let last = looks.last, last.seconds - first.seconds >= lengthSeconds else {
            return nil
        }
        return (last.total - first.total, first.total)
    }

    /// The increase in the last whole step, and the median of all steps; nil before half the window was watched.
    var lastStepAndMedian: (last: Double, median: Double)? {
        let steps = zip(looks.dropFirst(), looks).filter { $0.seconds - $1.seconds >= stepSeconds }
            .map { $0.total - $1.total }
        guard let last = steps.last, Int64(steps.count) * stepSeconds >= lengthSeconds / 2 else { return nil }
        return (last, steps.sorted()[steps.count / 2])
    }

    var isEmpty: Bool { looks.isEmpty }

    /// Takes note of the totals now.
    mutating func note(_ total: Double, _ other: Double, nowSeconds: Int64) {
        let look = Look(seconds: nowSeconds, total: total, other: other)
        // The last look moves along until it is a step away from the one before it.
        if looks.count > 1, looks[looks.count - 1].seconds - looks[looks.count - 2].seconds < stepSeconds {
            looks[looks.count - 1] = look
        } else {
            looks.append(look)
        }
        while looks.count > 2, looks[1].seconds <= nowSeconds - lengthSeconds { looks.removeFirst() }
    }

    /// Since the last look before the window began, or the first of all; nil before there are two.
    var increase: (total: Double, other: Double, seconds: Int64)? {
        guard let first = looks.first, let last = looks.last, last.seconds > first.seconds else { return nil }
        return (last.total - first.total, last.other - first.other, last.seconds - first.seconds)
    }
}

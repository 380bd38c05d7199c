package import Series

/// The growth of a total, and of a second one beside it, over a window, from samples taken at most once a second.
///
/// Increases are differences of exact totals, and the samples' times are exact to the nanosecond. The window rarely
/// begins at a sample. The increase between the two samples around its beginning is assumed to be even.
///
/// Memory: at most 62 samples.
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

    /// Restores stored samples.
    ///
    /// - Parameter looks: In the order of their times. If one is out of order, the last one is later than now, or there
    ///   are more than 62, all are ignored.
    init(window: ObjectiveWindow, looks: [Look], nowNanoseconds: Int64) {
        self.init(window: window)
        let isOrdered = zip(looks, looks.dropFirst()).allSatisfy { $0.nanoseconds < $1.nanoseconds }
        let last = looks.last?.nanoseconds ?? 0
        if isOrdered, looks.count <= 62, last <= nowNanoseconds { self.looks = looks }
    }

    /// The change since the beginning of the window, and the total at its beginning; nil before the whole window was
    /// watched.
    var wholeWindow: (change: Double, beginning: Double)? {
        guard let first = looks.first, let last = looks.last,
            last.nanoseconds - first.nanoseconds >= lengthNanoseconds
        else { return nil }
        return ((last.total - first.total).double, first.total.double)
    }

    /// The increase in the last whole step, and the median of all steps, both scaled to a step's length; nil before
    /// half the window was watched.
    var lastStepAndMedian: (last: Double, median: Double)? {
        let steps = zip(looks.dropFirst(), looks).filter { $0.nanoseconds - $1.nanoseconds >= stepNanoseconds }
            .map { ($0.total - $1.total).double * (Double(stepNanoseconds) / Double($0.nanoseconds - $1.nanoseconds)) }
        guard let last = steps.last, Int64(steps.count) * stepNanoseconds >= lengthNanoseconds / 2 else { return nil }
        return (last, steps.sorted()[steps.count / 2])
    }

    var isEmpty: Bool { looks.isEmpty }

    /// Adds a sample of the totals now.
    mutating func note(_ total: ExactTotal, _ other: ExactTotal, nowNanoseconds now: Int64) {
        let look = Look(nanoseconds: now, total: total, other: other)
        // The last sample is replaced until it is a step away from the one before it.
        if looks.count > 1, looks[looks.count - 1].nanoseconds - looks[looks.count - 2].nanoseconds < stepNanoseconds {
            looks[looks.count - 1] = look
        } else {
            looks.append(look)
        }
        while looks.count > 2, looks[1].nanoseconds <= now - lengthNanoseconds { looks.removeFirst() }
    }

    /// The increase in a window that ends with the last sample, or in the watched time if that is shorter.
    struct Increase {
        var total: Double
        var other: Double
    }

    /// The share of the window that lies between the first sample and the last.
    var watchedShare: Double {
        guard let first = looks.first, let last = looks.last else { return 0 }
        return min(1, Double(last.nanoseconds - first.nanoseconds) / Double(lengthNanoseconds))
    }

    /// The increase of both totals; nil before there are two samples.
    var increase: Increase? {
        guard looks.count > 1 else { return nil }
        let (first, second, last) = (looks[0], looks[1], looks[looks.count - 1])
        let beginning = last.nanoseconds - lengthNanoseconds
        // The part of the time between the first two samples that lies in the window.
        let share =
            beginning <= first.nanoseconds
            ? 1 : Double(second.nanoseconds - beginning) / Double(second.nanoseconds - first.nanoseconds)
        func increase(_ total: KeyPath<Look, ExactTotal>) -> Double {
            // An increase to infinity within the window cannot be divided.
            let all = (last[keyPath: total] - first[keyPath: total]).double
            guard all.isFinite, share < 1 else { return all }
            let before = (second[keyPath: total] - first[keyPath: total]).double
            return (last[keyPath: total] - second[keyPath: total]).double + share * before
        }
        return Increase(total: increase(\.total), other: increase(\.other))
    }
}

/// How much a total and another one beside it grew over a window, from looks at them once a second or seldomer.
///
/// Memory: at most 62 looks.
struct IncreaseTrack: Sendable {
    private struct Look: Sendable {
        var seconds: Int64
        var total: Double
        var other: Double
    }

    private var looks: [Look] = []
    private let lengthSeconds: Int64
    private let stepSeconds: Int64

    init(window: ObjectiveWindow) {
        lengthSeconds = window.lengthSeconds
        stepSeconds = max(1, window.lengthSeconds / 60)
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

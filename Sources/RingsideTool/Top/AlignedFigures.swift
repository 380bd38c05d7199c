internal import Exposition

/// The unit in which all values of one kind are shown, so that the highest stands out.
struct FigureScale: Equatable {
    /// As shown: `us`. Empty for a plain number.
    let name: String
    /// One of it in the metric's own unit.
    let factor: Double

    /// The values that a unit keeps, in it. They go further both ways than those that choose it, so that a value near a
    /// limit does not change the unit to and fro.
    private static let keptRange = 0.05...10_000.0

    /// Chooses the unit in which the middle one of the values has one to three digits before its point, or the next
    /// larger one if the highest value had six digits and the middle one is still a tenth.
    ///
    /// - Parameters:
    ///   - unit: That of the metric: `seconds`, `bytes`, `bps`.
    ///   - highest: The highest value that is shown in the unit.
    ///   - last: The unit so far. It stays while the values fit into it.
    init(unit: String, for values: [Double], upTo highest: Double = 0, keeping last: FigureScale? = nil) {
        let sizes = values.map(\.magnitude).filter { $0 > 0 && $0.isFinite }.sorted()
        if let last, sizes.isEmpty || last.fits(sizes[sizes.count / 2], upTo: highest) {
            self = last
            return
        }
        let middle = sizes.isEmpty ? 1 : sizes[sizes.count / 2]
        let scales: [(String, Double)] =
            switch unit {
            case "seconds": [("s", 1), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)]
            case "bytes": [("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1)]
            default: [(unit.printable, 1)]
            }
        let place = scales.firstIndex { middle >= $0.1 } ?? scales.count - 1
        let isSpread = place > 0 && highest >= 1e5 * scales[place].1 && middle >= 0.1 * scales[place - 1].1
        (name, factor) = scales[isSpread ? place - 1 : place]
    }

    private func fits(_ middle: Double, upTo highest: Double) -> Bool {
        Self.keptRange.contains(middle / factor) && highest < 1e5 * factor
    }

    /// Returns a value with a unit of its own: `41.2us`, `144ms`, `0.256`.
    static func compact(_ value: Double?, unit: String) -> String {
        let scale = FigureScale(unit: unit, for: value.map { [$0] } ?? [])
        let hasName = value?.isFinite == true && ["seconds", "bytes"].contains(unit)
        return scale.text(value) + (hasName ? scale.name : "")
    }

    /// Returns a value with three significant digits, at most three of them behind the point; `-` for nil. The sketch is
    /// exact to 0.27 %, so that more would be noise.
    func text(_ value: Double?) -> String {
        guard let value else { return "-" }
        let scaled = value / factor
        guard scaled.isFinite else { return scaled.nonFiniteText }
        let size = scaled.magnitude
        if size >= 1e7 { return Figures.real(scaled.rounded()) }
        return Figures.fixed(scaled, decimals: size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3)
    }
}

extension [String] {
    /// Returns numbers of one width, aligned by their points.
    var alignedByPoint: [String] {
        let parts = map { number -> (whole: Int, rest: Int) in
            let whole = number.firstIndex(of: ".").map { number.distance(from: number.startIndex, to: $0) }
            return (whole ?? number.count, whole.map { number.count - $0 } ?? 0)
        }
        let (whole, rest) = (parts.map(\.whole).max() ?? 0, parts.map(\.rest).max() ?? 0)
        return zip(self, parts).map { number, part in
            String(repeating: " ", count: whole - part.whole) + number + String(repeating: " ", count: rest - part.rest)
        }
    }
}

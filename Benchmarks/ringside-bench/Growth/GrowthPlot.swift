internal import Glibc

/// A picture of a curve and its floor. Both axes are logarithmic, in whole powers of ten.
struct GrowthPlot {
    private let curve: GrowthCurve
    private let host: Host
    private let frame = PlotFrame(width: 760, height: 440, left: 84, right: 150, top: 92, bottom: 64)
    private let xRange, yRange: ClosedRange<Double>

    init(_ curve: GrowthCurve, host: Host) {
        self.curve = curve
        self.host = host
        let all = curve.points + curve.floor
        xRange = Self.powers(all.map(\.x))
        yRange = Self.powers(all.map(\.y))
    }

    /// Returns the exponents of ten that all values lie between, at least one apart.
    private static func powers(_ values: [Double]) -> ClosedRange<Double> {
        let logarithms = values.filter { $0 > 0 }.map(log10)
        let low = (logarithms.min() ?? 0).rounded(.down)
        return low...max(low + 1, (logarithms.max() ?? 1).rounded(.up))
    }

    private func share(_ value: Double, _ range: ClosedRange<Double>) -> Double {
        (log10(max(value, 1e-12)) - range.lowerBound) / (range.upperBound - range.lowerBound)
    }

    private func placed(_ points: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
        points.map { (frame.x(share: share($0.x, xRange)), frame.y(share: share($0.y, yRange))) }
    }

    private func label(_ exponent: Double) -> String {
        exponent >= 0 ? grouped(Int(pow(10, exponent))) : decimals(pow(10, exponent), Int(-exponent))
    }

    /// The whole document.
    var svg: String {
        let verticals = stride(from: xRange.lowerBound, through: xRange.upperBound, by: 1).map {
            frame.vertical(frame.x(share: share(pow(10, $0), xRange)), label: label($0))
        }
        let horizontals = stride(from: yRange.lowerBound, through: yRange.upperBound, by: 1).map {
            frame.horizontal(frame.y(share: share(pow(10, $0), yRange)), label: label($0))
        }
        return frame.document(
            title: curve.title, subtitle: "dashed: \(curve.floorName), in the same run; \(host.processor)",
            body: verticals.joined() + horizontals.joined()
                + line(curve.floor, curve.floorName, colour: "#5f5f5f", isDashed: true)
                + line(curve.points, curve.name, colour: "#0072b2", isDashed: false),
            horizontalTitle: curve.horizontalTitle, verticalTitle: curve.verticalTitle)
    }

    private func line(_ points: [(x: Double, y: Double)], _ name: String, colour: String, isDashed: Bool) -> String {
        let placed = placed(points)
        guard let end = placed.last else { return "" }
        return frame.curve(placed, colour: colour, isDashed: isDashed)
            + frame.endLabel(name, from: end.y, at: end.y, colour: colour)
    }
}

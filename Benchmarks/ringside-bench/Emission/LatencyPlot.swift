internal import Drain
internal import Glibc

/// A picture of single calls: for each call and percentile, the latency. Both axes are logarithmic, the horizontal one
/// in the share that is left: 50, 90, 99 ... 99.999 %.
struct LatencyPlot {
    private struct Line {
        let call: String
        let label: String
        let colour: String
        var isDashed = false
    }

    /// The colours of Okabe and Ito ("Color Universal Design", 2008), which everybody can tell apart.
    private static let lines = [
        Line(call: "clock", label: "1 clock read", colour: "#9a9a9a", isDashed: true),
        Line(call: "span_floor", label: "span's floor", colour: "#5f5f5f", isDashed: true),
        Line(call: "counter", label: "counter", colour: "#009e73"),
        Line(call: "value", label: "value", colour: "#0072b2"),
        Line(call: "lap", label: "stopwatch lap", colour: "#56b4e9"),
        Line(call: "span_token", label: "span", colour: "#d55e00"),
        Line(call: "span_async", label: "span, async", colour: "#cc79a7"),
    ]

    private static let quantiles = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999]
    private let report: EmissionReport
    private let frame = PlotFrame(width: 1000, height: 560, left: 84, right: 190, top: 92, bottom: 64)
    private let bracket: UInt32
    private let highest: Double
    private static let lowest = 5.0

    init(_ report: EmissionReport) {
        self.report = report
        bracket = report.run.bracketTicks.quantile(0.5) ?? 0
        let bracket = bracket
        let worst = Self.lines.map { Self.latency(report.run[$0.call].pacedTicks, 0.99999, bracket) }.max() ?? 1000
        highest = exp2((log2(max(worst, 500) / 5)).rounded(.up)) * 5
    }

    private static func latency(_ counts: TickCounts, _ quantile: Double, _ bracket: UInt32) -> Double {
        let ticks = Double(counts.quantile(quantile) ?? 0) - Double(bracket)
        return max(lowest, TickScale.nanoseconds(ticks))
    }

    private func x(_ quantile: Double) -> Double {
        frame.x(share: (-log10(1 - quantile) - log10(2)) / (5 - log10(2)))
    }

    private func y(_ nanoseconds: Double) -> Double {
        frame.y(share: log(nanoseconds / Self.lowest) / log(highest / Self.lowest))
    }

    /// The whole document.
    var svg: String {
        frame.document(
            title: "What one call costs a bot",
            subtitle: """
                one call every 500 ns, a reader every 50 µs, empty bracket taken off; \
                \(grouped(report.run["value"].pacedTicks.total)) calls a line; dashed: the best C, \
                \(report.host.processor)
                """,
            body: verticals + horizontals + curves + labels,
            horizontalTitle: "percentile", verticalTitle: "latency")
    }

    private var verticals: String {
        Self.quantiles.map { quantile in
            frame.vertical(x(quantile), label: "\(percent(quantile)) %")
        }.joined()
    }

    private func percent(_ quantile: Double) -> String {
        switch quantile {
        case 0.5: "50"
        case 0.9: "90"
        case 0.99: "99"
        case 0.999: "99.9"
        case 0.9999: "99.99"
        default: "99.999"
        }
    }

    private var horizontals: String {
        let steps = (0..<8).flatMap { power in [1.0, 2, 5].map { $0 * pow(10, Double(power)) } }
        return steps.filter { $0 >= Self.lowest && $0 <= highest * 1.001 }
            .map { frame.horizontal(y($0), label: duration($0)) }.joined()
    }

    private func duration(_ nanoseconds: Double) -> String {
        if nanoseconds >= 1e6 { return "\(Int(nanoseconds / 1e6)) ms" }
        return nanoseconds >= 1000 ? "\(Int(nanoseconds / 1000)) µs" : "\(Int(nanoseconds)) ns"
    }

    private var curves: String {
        Self.lines.map { line in
            let counts = report.run[line.call].pacedTicks
            let points = (0...140).map { step in
                let quantile = 1 - 0.5 * pow(10, -Double(step) / 140 * (5 - log10(2)))
                return (x(quantile), y(Self.latency(counts, quantile, bracket)))
            }
            return frame.curve(points, colour: line.colour, isDashed: line.isDashed)
        }.joined()
    }

    /// The labels beside the ends of the curves, moved apart if they would cover one another.
    private var labels: String {
        let ends = Self.lines.map { line in
            (line, y(Self.latency(report.run[line.call].pacedTicks, 0.99999, bracket)))
        }.sorted { $0.1 < $1.1 }
        let places = spread(ends.map(\.1), apart: 20, below: frame.bottomEdge)
        return zip(ends, places).map { frame.endLabel($0.0.label, from: $0.1, at: $1, colour: $0.0.colour) }.joined()
    }

    private func spread(_ wanted: [Double], apart: Double, below limit: Double) -> [Double] {
        var places = wanted
        for index in places.indices.dropFirst() { places[index] = max(places[index], places[index - 1] + apart) }
        guard let last = places.last, last > limit else { return places }
        places[places.count - 1] = limit
        for index in places.indices.dropLast().reversed() {
            places[index] = min(places[index], places[index + 1] - apart)
        }
        return places
    }
}

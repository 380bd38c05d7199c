/// The sheet that a plot is drawn on: the place of its axes, and the SVG of grid lines, curves and labels.
struct PlotFrame {
    let width, height, left, right, top, bottom: Double

    var rightEdge: Double { width - right }
    var bottomEdge: Double { height - bottom }

    /// Returns the coordinate of a share of the axis, 0 to 1.
    func x(share: Double) -> Double { left + share * (rightEdge - left) }
    func y(share: Double) -> Double { bottomEdge - share * (bottomEdge - top) }

    func vertical(_ x: Double, label: String) -> String {
        """
        <line class="grid" x1="\(n(x))" y1="\(n(top))" x2="\(n(x))" y2="\(n(bottomEdge))"/>
        <text class="tick" x="\(n(x))" y="\(n(bottomEdge + 20))" text-anchor="middle">\(label)</text>

        """
    }

    func horizontal(_ y: Double, label: String) -> String {
        """
        <line class="grid" x1="\(n(left))" y1="\(n(y))" x2="\(n(rightEdge))" y2="\(n(y))"/>
        <text class="tick" x="\(n(left - 10))" y="\(n(y + 4))" text-anchor="end">\(label)</text>

        """
    }

    func curve(_ points: [(x: Double, y: Double)], colour: String, isDashed: Bool) -> String {
        let path = points.enumerated().map { "\($0 == 0 ? "M" : "L")\(n($1.x)) \(n($1.y))" }.joined()
        let dashes = isDashed ? " stroke-dasharray=\"6 4\"" : ""
        return "<path class=\"curve\" d=\"\(path)\" stroke=\"\(colour)\"\(dashes)/>\n"
    }

    /// Returns a label to the right of the plot, joined to the end of its curve.
    func endLabel(_ text: String, from end: Double, at place: Double, colour: String) -> String {
        """
        <path d="M\(n(rightEdge + 3)) \(n(end))L\(n(rightEdge + 16)) \(n(place))" stroke="\(colour)" fill="none"/>
        <text class="label" x="\(n(rightEdge + 20))" y="\(n(place + 4))" style="fill: \(colour)">\(text)</text>

        """
    }

    func document(
        title: String, subtitle: String, body: String, horizontalTitle: String, verticalTitle: String
    ) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(n(width)) \(n(height))" width="\(n(width))" \
        height="\(n(height))" role="img" aria-label="\(title)">
        <style>
        text { font-family: system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #444; font-size: 13px }
        .title { font-size: 22px; font-weight: 600; fill: #111 }
        .label { font-weight: 600 }
        .grid { stroke: #e6e6e6; stroke-width: 1 }
        .axis { stroke: #999; stroke-width: 1 }
        .curve { fill: none; stroke-width: 2.2; stroke-linejoin: round }
        </style>
        <rect width="100%" height="100%" fill="#fff"/>
        <text class="title" x="\(n(left))" y="38">\(escaped(title))</text>
        <text x="\(n(left))" y="62">\(escaped(subtitle))</text>
        <text class="tick" x="\(n((left + rightEdge) / 2))" y="\(n(height - 14))" text-anchor="middle">\(horizontalTitle)</text>
        <text class="tick" x="20" y="\(n((top + bottomEdge) / 2))" text-anchor="middle" \
        transform="rotate(-90 20 \(n((top + bottomEdge) / 2)))">\(verticalTitle)</text>
        \(body)<line class="axis" x1="\(n(left))" y1="\(n(bottomEdge))" x2="\(n(rightEdge))" y2="\(n(bottomEdge))"/>
        </svg>

        """
    }

    /// Returns a coordinate to a tenth of a pixel.
    private func n(_ value: Double) -> String { decimals(value, 1) }

    private func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "<": "&lt;"
            case ">": "&gt;"
            case "&": "&amp;"
            default: String(character)
            }
        }.joined()
    }
}

import TestSupport
import Testing

private struct Report: Decodable {
    struct Curve: Decodable {
        struct Point: Decodable { let x, y, floor: Double }
        let name: String
        let points: [Point]
    }
    let host: HostFields
    let curves: [Curve]
}

extension Bench {
    @Suite struct Growth {
        @Test("growth gives each curve with its floor, and draws both")
        func curves() throws {
            let directory = TemporaryRingDirectory(under: "/tmp")
            let report = try Bench.quick(["growth", "--plot", directory.path], as: Report.self)
            #expect(
                report.curves.map(\.name) == ["records", "series", "bots", "drain-series", "drain-lanes", "scrapes"])
            for curve in report.curves {
                #expect(curve.points.count == 2 && curve.points[0].x < curve.points[1].x, "\(curve.name)")
                #expect(curve.points.allSatisfy { $0.y > 0 && $0.floor > 0 }, "\(curve.name)")
                let svg = try contents("\(directory.path)/growth-\(curve.name).svg")
                #expect(svg.hasPrefix("<svg ") && svg.hasSuffix("</svg>\n"))
                #expect(svg.split(separator: "\n").filter { $0.hasPrefix("<path class=\"curve\"") }.count == 2)
                #expect(!svg.contains("nan") && !svg.contains("inf"))
            }
        }
    }
}

import Testing

private struct Report: Decodable {
    struct Point: Decodable {
        let stage: String
        let rings, series, laps: Int
        let records_per_second, ns_per_record, least_ns, greatest_ns: Double
    }
    let host: HostFields
    let points: [Point]
}

extension Bench {
    @Suite struct Drain {
        @Test("drain gives a rate for copying and for windows at each number of rings and series")
        func points() throws {
            let report = try Bench.quick(["drain"], as: Report.self)
            for stage in ["copy", "windows"] {
                let found = Set(report.points.filter { $0.stage == stage }.map { [$0.rings, $0.series] })
                #expect(found == Set([1, 4, 16].flatMap { rings in [1, 16, 64].map { [rings, $0] } }), "\(stage)")
            }
            for point in report.points {
                #expect(point.records_per_second > 0 && point.laps == 5)
                #expect(point.least_ns > 0 && point.least_ns <= point.ns_per_record)
                #expect(point.ns_per_record <= point.greatest_ns)
            }
        }
    }
}

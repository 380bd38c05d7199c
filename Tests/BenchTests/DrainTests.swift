import Testing

private struct Report: Decodable {
    struct Point: Decodable {
        let stage: String
        let rings, series, laps: Int
        let records_per_second, ns_per_record, least_ns, greatest_ns: Double
    }
    let host: HostFields
    struct Target: Decodable {
        let what: String
        let limit, ratio: Double
        let reached: Bool
    }
    let points: [Point]
    let targets: [Target]
}

extension Bench {
    @Suite struct Drain {
        @Test("drain gives a rate for copying, for the floor and for windows at each number of rings and series")
        func points() throws {
            let report = try Bench.quick(["drain"], as: Report.self)
            for stage in ["copy", "floor", "windows"] {
                let found = Set(report.points.filter { $0.stage == stage }.map { [$0.rings, $0.series] })
                #expect(found == Set([1, 4, 16].flatMap { rings in [1, 16, 64].map { [rings, $0] } }), "\(stage)")
            }
            for point in report.points {
                #expect(point.records_per_second > 0 && point.laps == 5)
                #expect(point.least_ns > 0 && point.least_ns <= point.ns_per_record)
                #expect(point.ns_per_record <= point.greatest_ns)
            }
            #expect(report.targets.count == 3)
            for target in report.targets {
                #expect(target.ratio > 0 && target.reached == (target.ratio <= target.limit), "\(target.what)")
            }
        }

        @Test("drain measures the rings and the series that are asked for, and refuses what cannot be shared out")
        func chosen() throws {
            let report = try Bench.quick(["drain", "--rings", "2", "--series", "6"], as: Report.self)
            #expect(report.points.map { [$0.rings, $0.series] } == [[2, 6], [2, 6], [2, 6]])
            let (exit, _, errors) = try Bench.run(["drain", "--quick", "--rings", "4", "--series", "6"])
            #expect(exit == .code(1) && errors.contains("multiple"))
        }
    }
}

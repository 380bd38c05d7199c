import Testing

private struct Report: Decodable {
    struct Answers: Decodable { let median, greatest: Double }
    let host: HostFields
    let series, hours, file_bytes: Int
    let bytes_per_series_minute: [String: Double]
    let hour_ms, range_ms: Answers
}

extension Bench {
    @Suite struct History {
        @Test("history gives the bytes of each kind of series, and the cost of an answer")
        func figures() throws {
            let report = try Bench.quick(["history"], as: Report.self)
            #expect(report.series == 16 && report.hours == 2 && report.file_bytes > 4096)
            let bytes = report.bytes_per_series_minute
            #expect(bytes["idle"] == 0 && bytes.count == 4)
            #expect(bytes["quiet"] ?? 0 > 0 && bytes["ordinary"] ?? 0 > bytes["quiet"] ?? 0)
            #expect(bytes["busy"] ?? 0 > bytes["ordinary"] ?? 0)
            for answers in [report.hour_ms, report.range_ms] {
                #expect(answers.median > 0 && answers.median <= answers.greatest)
            }
        }
    }
}

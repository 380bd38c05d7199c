import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Series

/// Measures how often levels are wrong, and how soon they are right. This prints the tables of UsualLevels.md.
@Suite struct LevelFiguresTests {
    private typealias Shape = GeneratedFigure.Shape

    /// Whether to print the whole tables, which takes some minutes without optimization.
    private static let isWhole = getenv("RINGSIDE_LEVELS_TABLE") != nil
    /// The number of series of each shape, and the days that each is watched for.
    private static let series = isWhole ? 3 : 1
    private static let days: Int64 = isWhole ? 28 : 14
    private static let trials = isWhole ? 60 : 20

    private struct Result {
        var shape: Shape
        /// False alarms of all series: on the first day, on days 2 to 7, and after.
        var alarms: [Int]
        /// By shift: the share found within 30 minutes, and the median delay in minutes.
        var found: [(share: Double, delay: Int?)]
        /// The number of spikes of one minute that raised an alarm.
        var spikes: Int
    }

    static let shifts = [1.3, 2, 5, 0.5, 0.01]

    private static func measure(_ shape: Shape) -> Result {
        let all = (0..<series).map { number in
            var trial = LevelTrial(shape, seed: 1000 * number + 7)
            trial.run(until: LevelTrial.begin + days * 86_400)
            return trial
        }
        let alarms = [0..<1, 1..<7, 7..<days].map { range in all.reduce(0) { $0 + $1.alarms(ofDays: range) } }
        // A Tuesday, after four weeks.
        var at = all[0]
        var random = SeededGenerator(seed: 99)
        var found = shifts.map { _ in [Int]() }
        var spikes = 0
        at.run(until: LevelTrial.begin + (days + 1) * 86_400)
        let first = at
        for _ in 0..<trials {
            var calm = first
            // A market is measured only while it is open.
            let hours = shape == .market ? 14.5..<19 : 0.5..<23
            calm.run(until: first.unixSeconds + Int64(Double.random(in: hours, using: &random) * 60) * 60)
            guard !calm.isUnusual else { continue }
            for (index, factor) in shifts.enumerated() {
                var shifted = calm
                for minute in 1...30 {
                    shifted.minute(factor: factor)
                    if shifted.isUnusual {
                        found[index].append(minute)
                        break
                    }
                }
            }
            var spiked = calm
            // This is a minute that lies in two readings.
            for factor in [5.0, 5, 1, 1, 1, 1] { spiked.minute(factor: factor) }
            if spiked.alarms.count > calm.alarms.count { spikes += 1 }
        }
        return Result(
            shape: shape, alarms: alarms,
            found: found.map { delays in
                let sorted = delays.sorted()
                return (Double(delays.count) / Double(trials), sorted.isEmpty ? nil : sorted[sorted.count / 2])
            }, spikes: spikes)
    }

    private static func line(_ result: Result) -> String {
        let found = result.found.map { share, delay in
            delay.map { "\(Int((share * 100).rounded())) %, \($0) min" } ?? "0 %"
        }
        return "| \(result.shape.rawValue) | "
            + (result.alarms.map { "\($0)" } + found + ["\(result.spikes)"]).joined(separator: " | ") + " |"
    }

    @Test(
        "after a week made-up series give next to no false alarm, and a feed that dries up is found at once",
        .enabled(if: !isShortRun),
        arguments: GeneratedFigure.Shape.allCases.ordinarily(oneOf: 3))
    func figures(shape: GeneratedFigure.Shape) throws {
        let result = Self.measure(shape)
        print(Self.line(result))
        // Three series, three weeks; or one series and one week.
        #expect(result.alarms[2] <= (shape == .wandering ? 25 : 1), "\(result)")
        #expect(result.spikes <= 1, "\(result)")
        // The range of a gauge is wide, and a batch shows nothing about its rate.
        guard shape != .gauge, shape != .batches else { return }
        let needed = shape == .noisy || shape == .wandering || shape == .sparse ? 0.8 : 0.95
        #expect(result.found[2].share >= needed && result.found[4].share >= needed, "\(result)")
        #expect(try #require(result.found[2].delay) <= 6 && #require(result.found[4].delay) <= 4, "\(result)")
    }

    /// Reads the files of `RINGSIDE_LEVELS_CSV`, whose names are separated by colons. Their lines are `YYYY-MM-DD
    /// HH:MM:SS,value`. A value is held for the minutes until the next line.
    @Test("alarms on recorded series", .enabled(if: getenv("RINGSIDE_LEVELS_CSV") != nil))
    func recorded() throws {
        let files = String(cString: getenv("RINGSIDE_LEVELS_CSV")).split(separator: ":")
        let isRate = getenv("RINGSIDE_LEVELS_RATE") != nil
        for file in files {
            let rows = try String(contentsOfFile: String(file), encoding: .utf8).split(separator: "\n").dropFirst()
                .compactMap { line -> (Int64, Double)? in
                    let cells = line.split(separator: ",")
                    let numbers = cells[0].split { !$0.isNumber }.compactMap { Int32($0) }
                    guard cells.count >= 2, let value = Double(cells[1]), numbers.count >= 6 else { return nil }
                    var parts = tm()
                    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
                    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
                    return (Int64(timegm(&parts)), value)
                }
            var level = UnusualLevel(isRate ? .rate : .quantile)
            var alarms: [Int64] = []
            var was = false
            for (row, next) in zip(rows, rows.dropFirst()) where next.0 > row.0 && next.0 - row.0 < 3600 {
                for time in stride(from: row.0, to: next.0, by: 60) {
                    _ = level.read(row.1, now: time * 1_000_000_000, unixSeconds: time)
                    let isUnusual = level.state == .high || level.state == .low
                    if isUnusual, !was { alarms.append(time) }
                    was = isUnusual
                }
            }
            guard let first = rows.first?.0, let last = rows.last?.0 else { continue }
            let days = (last - first) / 86_400
            let week = alarms.count { $0 - first > 7 * 86_400 }
            print(
                "\(file.split(separator: "/").last ?? ""): \(days) days, alarms \(alarms.count), after a week \(week): "
            )
            print(
                alarms.filter { $0 - first > 7 * 86_400 }.map { time -> String in
                    var (seconds, parts) = (time_t(time), tm())
                    gmtime_r(&seconds, &parts)
                    return "\(parts.tm_mon + 1)-\(parts.tm_mday) \(parts.tm_hour):\(parts.tm_min)"
                }.joined(separator: ", "))
        }
    }
}

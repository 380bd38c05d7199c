internal import Glibc
internal import History

/// The size of a generated history, and the time of its answers.
struct HistoryRun {
    let seriesCount: Int
    let hours: Int64
    let fileBytes: Int64
    let writingSeconds: Double
    /// Bytes of packed hours a series-minute, by class.
    let bytesPerSeriesMinute: [(kind: HistoryClass, bytes: Double)]
    /// Milliseconds of each question for one series' p99 of one hour. The opening of the file is included.
    let hourMilliseconds: Rounds
    /// The same for one series over all hours, in steps of an hour.
    let rangeMilliseconds: Rounds

    /// - Parameter folder: The folder in which the file is made. It is removed again.
    init(seriesCount: Int, hours: Int64, questions: Int, folder: String) throws {
        (self.seriesCount, self.hours) = (seriesCount, hours)
        let path = "\(folder)/ringside-bench-\(getpid()).db"
        defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
        var generated = GeneratedHistory(seriesCount: seriesCount, hours: hours)
        let begun = Self.seconds()
        do {
            let store = try HistoryStore(path: path)
            try generated.write(to: store)
            fileBytes = try store.usedBytes()
        }
        writingSeconds = Self.seconds() - begun
        bytesPerSeriesMinute = try Self.bytes(generated, path)
        var random = SplitMix(seed: 3)
        hourMilliseconds = try Self.ask(questions, generated, path, &random) { hour in (hour..<hour + 1, 60) }
        rangeMilliseconds = try Self.ask(min(questions, 10), generated, path, &random) { _ in
            (GeneratedHistory.firstHour..<GeneratedHistory.firstHour + hours, 60)
        }
    }

    private static func bytes(_ generated: GeneratedHistory, _ path: String) throws -> [(HistoryClass, Double)] {
        let reader = try HistoryReader(path: path)
        let bytes = try reader.packedBytes()
        let keys = Dictionary(
            uniqueKeysWithValues: (0..<generated.seriesCount).map { (generated.key(ofSeries: $0), $0) })
        var sums: [HistoryClass: Int64] = [:]
        for series in try reader.series() {
            guard let number = keys[series.key] else { continue }
            sums[generated.historyClass(ofSeries: number), default: 0] += bytes[series.id] ?? 0
        }
        return HistoryClass.allCases.map { kind in
            let count = (0..<generated.seriesCount).count { generated.historyClass(ofSeries: $0) == kind }
            return (kind, Double(sums[kind] ?? 0) / Double(Int64(max(1, count)) * generated.hours * 60))
        }
    }

    private static func ask(
        _ questions: Int, _ generated: GeneratedHistory, _ path: String, _ random: inout SplitMix,
        _ range: (_ hour: Int64) -> (hours: Range<Int64>, stepMinutes: Int64)
    ) throws -> Rounds {
        var rounds = Rounds()
        for _ in 0..<questions {
            let series = Int(random.next() % UInt64(generated.seriesCount)) / 4 * 4 + 3
            let key = generated.key(ofSeries: min(series, generated.seriesCount - 1))
            let hour = GeneratedHistory.firstHour + Int64(random.next() % UInt64(generated.hours))
            let (hours, step) = range(hour)
            let begun = seconds()
            let answer = try HistoryReader(path: path).answer(
                HistoryQuery(
                    metric: key.name, bot: key.bot, minutes: hours.lowerBound * 60..<hours.upperBound * 60,
                    stepMinutes: step))
            rounds.append((seconds() - begun) * 1000)
            guard answer.series.count == 1 else { throw OutputError(description: "\(key.name) has no answer") }
        }
        return rounds
    }

    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

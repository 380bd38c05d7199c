import Series
import TestSupport
import Testing

@testable import History

@Suite("The limits on a question's cost") struct QuestionCostTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }
    private let first: Int64 = 28_333_320

    private func key(_ series: Int) -> HistorySeriesKey {
        HistorySeriesKey(
            bot: "bot\(series % 3)", name: "fills_total", labels: [Label("symbol", "S\(series)")], kind: .counter)
    }

    /// Writes counters that grow in each tenth minute and are watched throughout.
    private func write(series: Int, minutes: Int64) throws -> HistoryStore {
        let store = try HistoryStore(path: path)
        for minute in first..<first + minutes {
            var entries = [HistoryStore.Entry(key: BuiltInSeries.watched, minute: minute, value: .counter(60))]
            if minute % 10 == 0 {
                entries += (0..<series).map { .init(key: key($0), minute: minute, value: .counter(Double($0 + 1))) }
            }
            try store.write(entries)
        }
        return store
    }

    private func query(_ minutes: Int64, step: Int64, isMerged: Bool = false, bot: String? = nil) -> HistoryQuery {
        HistoryQuery(
            metric: "fills_total", bot: bot, minutes: first..<first + minutes, stepMinutes: step, isMerged: isMerged)
    }

    @Test("too many points, series or hours are refused before anything is read, with advice to ask for less")
    func refusals() throws {
        let store = try write(series: 40, minutes: 180)
        try store.pack(before: first + 120)
        let reader = try HistoryReader(path: path)
        func refusal(_ query: HistoryQuery, _ change: (inout HistoryBounds) -> Void) -> String {
            var bounds = HistoryBounds()
            change(&bounds)
            let error = #expect(throws: HistoryQueryError.self) { try reader.answer(query, bounds: bounds) }
            #expect(throws: HistoryQueryError.self) { try AnswerSeries.check(query, reader, bounds) }
            return error?.description ?? ""
        }
        #expect(refusal(query(180, step: 1)) { $0.points = 7199 }.contains("7200 points: expected 7199 at most"))
        #expect(refusal(query(180, step: 1)) { $0.series = 39 }.contains("more than 39 series"))
        #expect(refusal(query(180, step: 180, isMerged: true)) { $0.seriesHours = 100 }.contains("too much to read"))
        var exact = HistoryBounds()
        (exact.points, exact.series) = (7200, 40)
        #expect(try reader.answer(query(180, step: 1), bounds: exact).series.count == 40)
        // By the default bounds this asks for too much: 5,000 series of a week by the minute.
        let error = #expect(throws: HistoryQueryError.self) {
            try HistoryBounds().check(query(10_080, step: 1), seriesCount: 5000, hours: 168)
        }
        #expect(error?.description.contains("50400000 points") == true)
        #expect(throws: HistoryQueryError.self) {
            try HistoryBounds().check(query(10_080, step: 1), seriesCount: .max, hours: 168)
        }
    }

    @Test("steps in which nothing happened are left out, and unwatched time is listed once")
    func emptySteps() throws {
        let store = try write(series: 3, minutes: 120)
        let lost = BuiltInSeries.lost(bot: "bot1", reason: .lapped)
        try store.write([
            .init(key: lost, minute: first + 5, value: .counter(7)),
            .init(key: BuiltInSeries.watched, minute: first + 125, value: .counter(60)),
        ])
        let answer = try HistoryReader(path: path).answer(query(130, step: 1))
        #expect(answer.series.map(\.key?.bot) == ["bot0", "bot1", "bot2"])
        let grown = (0..<12).map { first + $0 * 10 }
        #expect(answer.series[0].points.map(\.minute) == grown)
        // A step with a loss is there though it has no value.
        #expect(answer.series[1].points.map(\.minute) == [first, first + 5] + grown.dropFirst())
        #expect(answer.series[1].points[1].lost == 7 && answer.series[1].points[1].increase == 0)
        #expect(!answer.series[1].points[1].isComplete && answer.series[1].points[0].isComplete)
        #expect(answer.unwatched == [first + 120..<first + 125, first + 126..<first + 130])
        let whole = try HistoryReader(path: path).answer(query(130, step: 130, isMerged: true))
        #expect(whole.series.first?.points.first?.increase == 12 * 6 && whole.series.first?.points.first?.lost == 7)
    }

    @Test("reading ends as soon as nobody waits, and one series is read at a time")
    func givenUp() throws {
        let store = try write(series: 30, minutes: 180)
        try store.pack(before: first + 120)
        let reader = try HistoryReader(path: path)
        let series = try AnswerSeries(reader, query(180, step: 1))
        #expect(try series.next()?.points.count == 18)
        reader.isWanted = { false }
        let failure = #expect(throws: HistoryFailure.self) { try series.next() }
        #expect(failure?.isDamage == false)
        #expect(throws: HistoryFailure.self) { try AnswerSeries(reader, query(180, step: 1)) }
    }

    @Test("an unknown bot is reported as unknown; a metric that is yet to come has no series")
    func unknown() throws {
        _ = try write(series: 3, minutes: 20)
        let reader = try HistoryReader(path: path)
        let error = #expect(throws: HistoryQueryError.self) { try reader.answer(query(20, step: 1, bot: "nobody")) }
        #expect(error?.isAboutNothing == true && error?.description.contains("no bot 'nobody'") == true)
        let pending = PendingMinutes([
            .init(key: HistorySeriesKey(bot: "new", name: "x", kind: .counter), minute: first, value: .counter(1))
        ])
        #expect(try reader.answer(query(20, step: 1, bot: "new"), pending: pending).series.isEmpty)
        let other = HistoryQuery(metric: "none_yet", minutes: first..<first + 20, stepMinutes: 1)
        #expect(try reader.answer(other).series.isEmpty)
    }

    @Test("the last value of several gauges as one is that of the latest minute, packed or not")
    func gauges() throws {
        let store = try HistoryStore(path: path)
        func gauge(_ lane: String, _ minute: Int64, _ value: Double) -> HistoryStore.Entry {
            .init(
                key: HistorySeriesKey(bot: "a", name: "depth", lane: lane, kind: .gauge), minute: minute,
                value: .gauge(GaugeMinute(minimum: value, maximum: value, last: value)))
        }
        try store.write([gauge("x", first + 9, 9), gauge("y", first + 2, 2)])
        try store.pack(before: .max)
        try store.write([gauge("y", first + 5, 5), gauge("x", first + 1, 1)])
        let asked = HistoryQuery(metric: "depth", minutes: first..<first + 10, stepMinutes: 10, isMerged: true)
        let point = try HistoryReader(path: path).answer(asked).series.first?.points.first
        #expect(point?.gauge == GaugeMinute(minimum: 1, maximum: 9, last: 9))
    }
}

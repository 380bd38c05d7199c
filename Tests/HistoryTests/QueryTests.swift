import Glibc
import Series
import Sketch
import TestSupport
import Testing

@testable import History

@Suite("Questions to a history") struct QueryTests {
    private let now = 1_700_000_000.0

    @Test(
        "a time is Unix seconds, RFC 3339, now or before now",
        arguments: [
            ("now", 1_700_000_000), ("-90s", 1_699_999_910), ("-1h", 1_699_996_400), ("-7d", 1_699_395_200),
            ("0", 0), ("1700000000.5", 1_700_000_000.5), ("2023-11-14T22:13:20Z", 1_700_000_000),
            ("2023-11-14T23:13:20.25+01:00", 1_700_000_000.25), ("2023-11-14T21:43:20-00:30", 1_700_000_000),
            ("2024-02-29", 1_709_164_800), ("2023-11-14 23:13:20 01:00", 1_700_000_000),
        ] as [(String, Double)])
    func times(text: String, seconds: Double) {
        #expect(HistoryTime.seconds(text, now: now) == seconds)
    }

    @Test(
        "a text that is not a time is refused",
        arguments: [
            "", "-", "yesterday", "-1y", "1e20", "nan", "-1e5h", "2023-02-29", "2023-13-01", "2023-11-14T22:13:20",
            "2023-11-14T25:13:20Z", "2023-11-14T22:13:20Zx", "2023-11-14T22:13:20.Z", "99999-01-01", "-inf",
        ])
    func noTimes(text: String) { #expect(HistoryTime.seconds(text, now: now) == nil) }

    private func query(_ arguments: [(String, String)]) throws -> HistoryQuery {
        let question = try HistoryRequest(arguments: arguments.map { (name: $0.0, value: $0.1) }, now: now)
        guard case .metric(let query) = question else { throw HistoryQueryError("it asks for the list") }
        return query
    }

    @Test("a question has defaults, whole minutes, and labels by name")
    func defaults() throws {
        let last = Int64(now) / 60
        #expect(
            try query([("metric", "x")])
                == HistoryQuery(metric: "x", minutes: last - 60..<last + 1, stepMinutes: 1))
        let asked = try query([
            ("metric", "x"), ("bot", "a"), ("from", "-1d"), ("step", "1h"), ("label.side", "buy"), ("merge", "1"),
        ])
        #expect(asked.stepMinutes == 60 && asked.isMerged && asked.bot == "a" && asked.labels == [Label("side", "buy")])
    }

    @Test("a question that names at most a bot and labels asks for the list")
    func list() throws {
        #expect(try HistoryRequest(arguments: [], now: now) == .list(HistoryListQuery()))
        #expect(
            try HistoryRequest(arguments: [("bot", "a"), ("label.side", "buy")], now: now)
                == .list(HistoryListQuery(bot: "a", labels: [Label("side", "buy")])))
    }

    @Test(
        "a bad question is refused in words that say what was expected",
        arguments: [
            ([("from", "-1d")], "metric is missing"), ([("metric", "")], "metric is missing"),
            ([("metric", "x"), ("metric", "y")], "given twice"),
            ([("metric", "x"), ("form", "-1h")], "unknown parameter"),
            ([("metric", "x"), ("from", "soon")], "expected Unix seconds"),
            ([("metric", "x"), ("from", "now"), ("to", "-1h")], "from is not before to"),
            ([("metric", "x"), ("step", "30s")], "expected whole minutes"),
            ([("metric", "x"), ("step", "90s")], "expected whole minutes"),
            ([("metric", "x"), ("from", "-300d"), ("step", "1m")], "steps are too many"),
            ([("metric", "x"), ("from", "0")], "the range is too long"),
            ([("metric", "x"), ("step", "0")], "expected whole minutes"),
            ([("metric", "x"), ("step", "-5m")], "expected whole minutes"),
            ([("metric", "x"), ("step", "nan")], "expected whole minutes"),
            ([("metric", "x"), ("step", "9999999999w")], "400 days at most"),
            ([("metric", "x"), ("step", "401d")], "400 days at most"),
            ([("metric", "x"), ("from", "nan")], "expected Unix seconds"),
            ([("metric", "x"), ("from", "inf")], "expected Unix seconds"),
            ([("metric", "x"), ("from", "-9999999999w"), ("to", "-9999999998w")], "outside the years"),
            ([("metric", "x"), ("from", "-4000w"), ("to", "-3999w")], "outside the years"),
            ([("metric", "x"), ("from", "now"), ("to", "now")], "from is not before to"),
            ([("metric", "x"), ("from", "1e300")], "expected Unix seconds"),
            ([("metric", "x"), ("merge", "2")], "expected 0 or 1"),
            ([("metric", "x"), ("distribution", "yes")], "expected 0 or 1"),
            ([("metric", "x"), ("distribution", "1"), ("from", "-1d"), ("step", "1m")], "60 at most"),
        ] as [([(String, String)], String)])
    func refusals(arguments: [(String, String)], words: String) {
        let error = #expect(throws: HistoryQueryError.self) { try query(arguments) }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test("labels are kept whatever is in them")
    func labels() {
        let labels = [Label("a", ""), Label("b", "x=\"1\",\n:3"), Label("é", "日本 12:")]
        #expect(LabelText.labels(LabelText.text(labels)) == labels)
        for text in ["1:a", "5:ab", "x", "-1:a1:b", "99999999999999999999:a"] { #expect(LabelText.labels(text) == nil) }
    }

    @Test(
        "the interval of a quantile holds the true one in 95 of 100 draws, or more",
        arguments: [(200, 0.5), (5000, 0.99)])
    func coverage(count: Int, quantile: Double) {
        var random = SeededGenerator(seed: 11)
        // This is the quantile of the exponential distribution.
        let truth = -log1p(-quantile)
        var held = 0
        let draws = 400
        for _ in 0..<draws {
            var sketch = ExponentialSketch()
            var minute = HistogramMinute.empty
            for _ in 0..<count {
                let value = -log(random.unit())
                sketch.insert(value)
                (minute.minimum, minute.maximum) = (min(minute.minimum, value), max(minute.maximum, value))
            }
            minute.sketch = sketch.snapshot()
            let merged = MergedMinutes()
            merged.add(.histogram(minute))
            guard let interval = OrderStatistics.interval(quantile, of: merged), let low = interval.lower,
                let high = interval.upper
            else { continue }
            if low <= truth && truth <= high { held += 1 }
        }
        // 95 % of 400 are 380. That 365 or fewer hold has a chance of one in 1,000.
        #expect(held > 365, "\(held) of \(draws)")
    }

    @Test(
        "too few values bound no extreme quantile, and the binomial's own ranks agree with its approximation where both hold"
    )
    func ranks() {
        #expect(OrderStatistics.ranks(quantile: 0.999, count: 500).upper == nil)
        #expect(OrderStatistics.ranks(quantile: 0.5, count: 3) == (nil, nil))
        let exact = OrderStatistics.ranks(quantile: 0.5, count: 10_000)
        let approximate = OrderStatistics.ranks(quantile: 0.5, count: 10_001)
        #expect(
            abs(Int(exact.lower!) - Int(approximate.lower!)) <= 2
                && abs(Int(exact.upper!) - Int(approximate.upper!)) <= 2)
    }
}

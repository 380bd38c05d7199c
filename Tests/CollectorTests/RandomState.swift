import Platform
import Drain
import Collector
import RingReader
import Rules
import Series
import Sketch
import TestSupport

/// Checkpoints of any content.
struct RandomState {
    private var random: SeededGenerator

    init(seed: Int) { random = SeededGenerator(seed: UInt64(seed)) }

    private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    private mutating func count() -> UInt64 { random.next() >> UInt64(below(64)) }

    private mutating func text() -> String {
        let letters = ["a", "\"", "é", " ", "=", "\u{0}", "\n", "z", "💥", "{", "}"]
        return (0..<below(8)).map { _ in letters[below(letters.count)] }.joined()
    }

    private mutating func labels() -> [Label] { (0..<below(3)).map { Label("l\($0)", text()) } }

    private mutating func time() -> MonotonicTime? {
        below(2) == 0 ? nil : Int64(bitPattern: random.next()) >> Int64(2 + below(58))
    }

    private mutating func unixSeconds() -> Double { Double(count() >> 31) }

    private mutating func lost() -> LossCounts {
        var lost = LossCounts()
        for reason in LossReason.allCases where below(2) == 0 { lost[reason] = count() }
        return lost
    }

    private mutating func number() -> Number {
        switch below(3) {
        case 0: .unsigned(count())
        case 1: .signed(Int64(bitPattern: count()))
        default: .real(Double.random(in: -1e300...1e300, using: &random))
        }
    }

    private mutating func totals() -> CellTotals { CellTotals(first: below(4) == 0 ? nil : number(), second: count()) }

    private mutating func histogram() -> HistogramState {
        var sketch = ExponentialSketch()
        var tally = Tally()
        var weights = SampleWeights(unknown: count())
        for _ in 0..<below(400) {
            let value = Double.random(in: -1...20, using: &random) * (below(50) == 0 ? 1e200 : 1e-6)
            let weight = UInt32(1 + below(100_000))
            sketch.insert(value, weight: weight)
            weights.add(weight)
            tally.add(value, weight: 1)
        }
        let edges = (0..<below(4)).map { EdgeCount(edge: Double($0) - 0.5, cumulativeCount: count()) }
        return HistogramState(failed: count(), content: sketch.content(), tally: tally, edges: edges, weights: weights)
    }

    private mutating func series(_ number: Int) -> CheckpointedSeries {
        let kind = [MetricKind.counter, .upDownCounter, .histogram, .gauge][below(4)]
        let metric = MetricDescriptor(
            name: "m\(number)", help: text(), kind: kind, unit: MetricUnit.allCases[below(6)], labels: labels())
        let parts = (0..<below(4)).map {
            SeriesState.Part(lane: "lane\($0)", carried: totals(), live: totals(), late: count(), future: count())
        }
        return CheckpointedSeries(
            bot: "bot\(below(3))", key: "m\(number)",
            state: SeriesState(
                metric: metric, ordinal: count(), createdUnixSeconds: unixSeconds(),
                histogram: kind == .histogram ? histogram() : nil, parts: parts))
    }

    private mutating func positions(_ count: Int) -> [Int16] {
        (0..<count).map { _ in Int16.random(in: -32_512...32_512, using: &random) }
    }

    private mutating func level(_ statistic: LevelStatistic) -> LevelState {
        let days = [5, 3, 3].map { slots -> [Int16] in
            guard below(2) == 0 else { return [] }
            return (0..<48 * slots).flatMap { _ in below(2) == 0 ? [Int16.min, Int16.min] : positions(2).sorted() }
        }
        let bounds = positions(2).sorted()
        return LevelState(
            statistic: statistic, lane: text(), state: UInt8(below(4)), sinceUnixSeconds: Int64(below(1 << 33)),
            value: Double(count()), lastUnixSeconds: Int64(below(1 << 33)), score: Int8(below(7) - 3),
            recent: positions(below(61)), days: days, lastDay: below(2) == 0 ? nil : Int64(below(1 << 20)),
            halfHour: Int64(below(1 << 30)), halfHourReadings: UInt8(below(61)), low: bounds[0], high: bounds[1])
    }

    private mutating func levels(_ number: Int) -> CheckpointedLevels {
        CheckpointedLevels(
            bot: "bot\(below(3))", key: "m\(number)",
            levels: [.quantile(0.5), .quantile(0.999), .rate, .value].prefix(below(5)).map { level($0) })
    }

    private mutating func objective(_ number: Int) -> ObjectiveState {
        var buckets = EventBuckets()
        var time = Int64(below(1 << 32))
        for _ in 0..<below(40) {
            buckets.add(EventCounts(good: count(), bad: UInt64(below(3))), nowSeconds: time)
            time += Int64(below(200))
        }
        var begin: Int64 = 0
        let spans = (0..<below(5)).map { _ in
            let span = WatchLog.Span(begin: begin + Int64(below(1 << 30)), end: begin + Int64(1 << 30 + below(1 << 30)))
            begin = span.end
            return span
        }
        return ObjectiveState(
            objective: "o\(number)", bot: "bot\(number % 3)", signature: text(),
            counted: EventCounts(good: count(), bad: count()), buckets: buckets,
            watched: below(3) == 0 ? nil : WatchLog(spans: spans),
            courses: [.violation, .burn("1h"), .burn("3d")].prefix(below(4)).map { subject in
                ObjectiveState.Course(
                    subject: subject,
                    track: FiringHysteresis(
                        heldSince: moment(), clearSince: moment(), isFiring: below(2) == 0, begins: begins()),
                    sinceUnixNanoseconds: Int64(below(1 << 60)))
            })
    }

    private mutating func moment() -> Int64? { below(2) == 0 ? nil : Int64(below(1 << 40)) }

    private mutating func begins() -> [Int64] { (0..<below(3)).map { _ in Int64(below(1 << 40)) } }

    private mutating func alert(_ number: Int) -> AlertState {
        let states: [AlertSnapshot.State] = [.inactive, .pending, .firing]
        var snapshot = AlertSnapshot(
            alert: "a\(number)", severity: text(), bot: "bot\(number % 3)", state: states[below(3)], condition: text(),
            value: below(2) == 0 ? nil : Double(count()), labels: labels(), sinceUnixNanoseconds: Int64(below(1 << 60)))
        let looks = (0..<below(62)).map { place in
            IncreaseTrack.Look(
                nanoseconds: Int64(place), total: ExactTotal(.unsigned(count())),
                other: ExactTotal(.real(Double(count()))))
        }
        (snapshot.unknownSinceUnixNanoseconds, snapshot.resolvingSinceUnixNanoseconds) = (moment(), moment())
        return AlertState(
            snapshot: snapshot, heldSince: moment(), clearSince: moment(), looks: looks, isDismissed: below(2) == 0,
            begins: begins())
    }

    private mutating func silence(_ number: Int) -> Silence {
        Silence(
            number: UInt64(number), alert: Glob(text()), bot: Glob(text()), reason: text(),
            sinceUnixNanoseconds: Int64(below(1 << 60)), endNanoseconds: Int64(below(1 << 60)))
    }

    private mutating func process(_ number: Int) -> BotProcessState {
        BotProcessState(
            bot: "bot\(number)",
            processes: (0..<below(3)).map { _ in
                BotProcessState.Process(
                    pid: Int32(truncatingIfNeeded: below(1 << 31)), startTicks: count(), totals: processTotals())
            },
            earlier: below(2) == 0 ? nil : processTotals())
    }

    private mutating func processTotals() -> BotProcessSnapshot.Totals {
        var totals = BotProcessSnapshot.Totals()
        totals.cpuSeconds = Double(count()) / 100
        (totals.minorFaults, totals.majorFaults) = (count(), count())
        (totals.voluntarySwitches, totals.involuntarySwitches) = (count(), count())
        return totals
    }

    /// Returns a checkpoint with the bots, rings and series of these numbers.
    mutating func checkpoint(_ numbers: Range<Int>) -> Checkpoint {
        let id = Segment.Identifier(high: random.next(), low: random.next())
        var checkpoint = Checkpoint(unixNanoseconds: Int64(below(1 << 60)), bootID: id)
        checkpoint.bots = numbers.map {
            var retired = RetiredRings(lane: text())
            (retired.drained, retired.lost, retired.lastRecordTime) = (count(), lost(), time())
            retired.pid = Int32(truncatingIfNeeded: below(1 << 31))
            retired.wasClosed = [true, false, nil][below(3)]
            var view = BotViewState()
            (view.fingerprint, view.sinceUnixSeconds) = (random.next(), unixSeconds())
            for metric in 0..<below(3) { view.refused["m\(metric)"] = count() }
            for metric in 0..<below(3) { view.scales["m\(metric)"] = [1: unixSeconds(), 1e-6: unixSeconds()] }
            return BotState(name: "bot\($0)", labels: labels(), retired: [retired], view: view)
        }
        checkpoint.rings = numbers.map {
            RingState(
                name: RingName("bot\($0).lane")!, ringID: Segment.Identifier(high: count(), low: count()),
                position: count(), drained: count(), lost: lost(), lastRecordTime: time(), pid: -1)
        }
        checkpoint.series = numbers.map { series($0) }
        checkpoint.levels = numbers.map { levels($0) }
        checkpoint.objectives = numbers.map { objective($0) }
        checkpoint.alerts = numbers.map { alert($0) }
        checkpoint.silences = numbers.map { silence($0) }
        checkpoint.processes = numbers.map { process($0) }
        if below(2) == 0 { checkpoint.pastRings = [id, Segment.Identifier(high: 0, low: .max)] }
        return checkpoint
    }
}

extension SavedState {
    /// The state in a fixed order, so that two states can be compared.
    var sorted: SavedState {
        var copy = self
        copy.bots.sort { $0.name < $1.name }
        copy.rings.sort { $0.name < $1.name }
        copy.alerts.sort { ($0.snapshot.bot, $0.snapshot.alert) < ($1.snapshot.bot, $1.snapshot.alert) }
        copy.silences.sort { $0.number < $1.number }
        copy.processes.sort { $0.bot < $1.bot }
        copy.objectives.sort { ($0.bot, $0.objective) < ($1.bot, $1.objective) }
        copy.series.sort { ($0.bot, $0.key) < ($1.bot, $1.key) }
        copy.levels.sort { ($0.bot, $0.key) < ($1.bot, $1.key) }
        return copy
    }

    /// Returns the state after a checkpoint is written too.
    func with(_ checkpoint: Checkpoint) -> SavedState {
        var state = checkpoint.isFull ? SavedState(bootID: checkpoint.bootID) : self
        state.bootID = checkpoint.bootID
        state.wasClosed = checkpoint.isLast
        state.ruleMoment =
            checkpoint.ruleMoment
            ?? RuleMoment(ruleNanoseconds: checkpoint.unixNanoseconds, monotonicNanoseconds: nil)
        state.bots.removeAll { bot in checkpoint.bots.contains { $0.name == bot.name } }
        state.rings.removeAll { ring in
            checkpoint.rings.contains { $0.name == ring.name } || checkpoint.removedRings.contains(ring.name)
        }
        state.series.removeAll { series in
            checkpoint.series.contains { $0.bot == series.bot && $0.key == series.key }
                || checkpoint.removedSeries.contains { $0.bot == series.bot && $0.key == series.key }
        }
        state.levels.removeAll { old in
            checkpoint.levels.contains { $0.bot == old.bot && $0.key == old.key }
                || checkpoint.removedSeries.contains { $0.bot == old.bot && $0.key == old.key }
        }
        state.levels += checkpoint.levels.filter { new in
            !checkpoint.removedSeries.contains { $0.bot == new.bot && $0.key == new.key }
        }
        state.objectives.removeAll { old in
            checkpoint.objectives.contains { $0.bot == old.bot && $0.objective == old.objective }
                || checkpoint.removedObjectives.contains { $0.bot == old.bot && $0.key == old.objective }
        }
        state.alerts.removeAll { old in
            checkpoint.alerts.contains {
                $0.snapshot.bot == old.snapshot.bot && $0.snapshot.alert == old.snapshot.alert
            }
                || checkpoint.removedAlerts.contains { $0.bot == old.snapshot.bot && $0.key == old.snapshot.alert }
        }
        state.silences.removeAll { old in
            checkpoint.silences.contains { $0.number == old.number } || checkpoint.removedSilences.contains(old.number)
        }
        state.silences += checkpoint.silences
        state.processes.removeAll { old in checkpoint.processes.contains { $0.bot == old.bot } }
        state.processes += checkpoint.processes
        state.alerts += checkpoint.alerts
        state.objectives += checkpoint.objectives
        state.bots += checkpoint.bots
        state.rings += checkpoint.rings
        state.series += checkpoint.series
        state.pastRings = checkpoint.pastRings ?? state.pastRings
        return state
    }
}

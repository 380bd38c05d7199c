internal import Drain
internal import RingReader
internal import Rules
internal import Series
internal import Sketch

extension StateDecoder {
    mutating func ring() throws -> RingState {
        guard let name = RingName(try text()) else { throw StateDamage("a ring's name is not valid") }
        var ring = RingState(
            name: name, ringID: try identifier(), position: try unsigned(), drained: try unsigned(),
            lost: try lossCounts(),
            lastRecordTime: try optional { try $0.time() },
            pid: Int32(truncatingIfNeeded: try signed()))
        // Earlier collectors did not store it.
        if !isAtEnd { ring.wasClosed = try optional { try $0.bool() } }
        return ring
    }

    mutating func bot() throws -> BotState {
        var bot = BotState(
            name: try text(), labels: try labels(),
            retired: try array { from in
                var rings = RetiredRings(lane: try from.text())
                rings.drained = try from.unsigned()
                rings.lost = try from.lossCounts()
                rings.lastRecordTime = try from.optional { try $0.time() }
                rings.pid = Int32(truncatingIfNeeded: try from.signed())
                return rings
            })
        bot.view.fingerprint = try double().bitPattern
        bot.view.sinceUnixSeconds = try unixSeconds()
        let refused = try array { from in (metric: try from.text(), count: try from.unsigned()) }
        for (metric, count) in refused { bot.view.refused[metric] = count }
        // Earlier versions converted nothing.
        guard !isAtEnd else { return bot }
        let scales = try array { from in
            (metric: try from.text(), since: try from.array { (factor: try $0.notNaN(), time: try $0.unixSeconds()) })
        }
        for (metric, since) in scales {
            bot.view.scales[metric] = Dictionary(since.map { ($0.factor, $0.time) }) { $1 }
        }
        guard !isAtEnd else { return bot }
        let closed = try array { from in try from.optional { try $0.bool() } }
        for (index, wasClosed) in zip(bot.retired.indices, closed) { bot.retired[index].wasClosed = wasClosed }
        return bot
    }

    mutating func levels() throws -> CheckpointedLevels {
        let (bot, key) = (try text(), try text())
        let levels = try array { from in
            LevelState(
                statistic: try from.statistic(), lane: try from.text(), state: try from.byteNumber(),
                sinceUnixSeconds: try from.signed(), value: try from.notNaN(), lastUnixSeconds: try from.signed(),
                score: Int8(clamping: try from.signed()), recent: try from.positions(),
                days: try from.array { try $0.positions() }, lastDay: try from.optional { try $0.signed() },
                halfHour: try from.signed(), halfHourReadings: try from.byteNumber(),
                low: Int16(clamping: try from.signed()), high: Int16(clamping: try from.signed()))
        }
        guard levels.allSatisfy(\.isValid) else {
            throw StateDamage("the levels of \(key) of \(bot) do not agree with themselves")
        }
        return CheckpointedLevels(bot: bot, key: key, levels: levels)
    }

    private mutating func statistic() throws -> LevelStatistic {
        switch try unsigned() {
        case 0:
            let quantile = try notNaN()
            guard (0...1).contains(quantile) else { throw StateDamage("a quantile is not between 0 and 1") }
            return .quantile(quantile)
        case 1: return .rate
        case 2: return .value
        default: throw StateDamage("a statistic has an unknown number")
        }
    }

    private mutating func byteNumber() throws -> UInt8 { UInt8(clamping: try unsigned()) }

    private mutating func positions() throws -> [Int16] {
        var previous: Int64 = 0
        return try array {
            previous = previous &+ (try $0.signed())
            return Int16(clamping: previous)
        }
    }

    mutating func series() throws -> CheckpointedSeries {
        let (bot, key) = (try text(), try text())
        var state = SeriesState(
            metric: try metric(), ordinal: try unsigned(), createdUnixSeconds: try unixSeconds(),
            cellsCreatedUnixSeconds: try unixSeconds(), histogram: try optional { try $0.histogram() },
            parts: try parts())
        guard (state.metric.kind == .histogram) == (state.histogram != nil) else {
            throw StateDamage("the series \(key) of \(bot) contradicts itself")
        }
        if let histogram = state.histogram { state.histogram?.weights = try weights(of: histogram) }
        // Earlier versions wrote no changes.
        return CheckpointedSeries(bot: bot, key: key, state: state, number: isAtEnd ? 0 : try unsigned())
    }

    mutating func changes() throws -> CheckpointedChanges {
        CheckpointedChanges(
            name: CheckpointedChanges.Name(bot: try text(), number: try unsigned()),
            series: try array {
                CheckpointedChanges.One(
                    key: try $0.text(),
                    change: SeriesChange(histogram: try $0.histogramChange(), parts: try $0.parts()))
            })
    }

    private mutating func histogramChange() throws -> HistogramChange {
        let failed = try unsigned()
        let added = SketchSnapshot(
            scale: BucketIndexer.scale, positive: try buckets(), negative: try buckets(), zeroCount: try unsigned())
        let tally = try tally()
        let edges = try edges()
        let change = HistogramChange(
            failed: failed, added: SketchContent(buckets: added), tally: tally, edges: edges,
            weights: SampleWeights(unrecorded: try unsigned(), squaredExcess: try double(), unknown: try unsigned()))
        guard change.isValid else { throw StateDamage("the changes of a histogram are not valid") }
        return change
    }

    private mutating func parts() throws -> [SeriesState.Part] {
        let parts = try array { from in
            SeriesState.Part(
                lane: try from.text(), carried: try from.cellTotals(), live: try from.cellTotals(),
                late: try from.unsigned(), future: try from.unsigned())
        }
        guard Set(parts.map(\.lane)).count == parts.count else { throw StateDamage("a lane has two parts of a series") }
        return parts
    }

    private mutating func edges() throws -> [EdgeCount] {
        try array { EdgeCount(edge: try $0.double(), cumulativeCount: try $0.unsigned()) }
    }

    private mutating func tally() throws -> Tally {
        let (minimum, maximum) = (try double(), try double())
        let sum = SumAccumulator.Parts(
            units: try signed(), valuePerUnit: try double(), rounded: try double(), compensation: try double())
        guard !minimum.isNaN, !maximum.isNaN, sum.valuePerUnit > 0, sum.valuePerUnit.isFinite,
            sum.compensation.isFinite
        else { throw StateDamage("the sum or the extremes of a histogram are not valid") }
        return Tally(minimum: minimum, maximum: maximum, sum: sum)
    }

    /// Returns the weights of a histogram. Entries of earlier versions have none, so it is unknown how their values
    /// were weighted.
    private mutating func weights(of histogram: HistogramState) throws -> SampleWeights {
        guard !isAtEnd else { return SampleWeights(unknown: histogram.content.buckets.count) }
        let weights = SampleWeights(
            unrecorded: try unsigned(), squaredExcess: try double(), unknown: try unsigned())
        guard weights.isValid else { throw StateDamage("the weights of a histogram are not valid") }
        return weights
    }

    mutating func objective() throws -> ObjectiveState {
        let (name, bot, signature, counted) = (try text(), try text(), try text(), try eventCounts())
        let levels = try array { from in
            var previous: Int64 = 0
            return try from.array { from in
                previous &+= try from.signed()
                guard (0...Self.latestSecond).contains(previous) else { throw StateDamage("a time is not valid") }
                return EventBuckets.Bucket(number: previous, counts: try from.eventCounts())
            }
        }
        guard let buckets = EventBuckets(levels: levels) else {
            throw StateDamage("the times of the objective \(name) of \(bot) are not valid")
        }
        var state = ObjectiveState(
            objective: name, bot: bot, signature: signature, counted: counted, buckets: buckets, watched: nil)
        // Earlier collectors stored no more.
        if !isAtEnd {
            state.watched = try optional { try $0.watchLog() }
            state.courses = try array { try $0.course() }
        }
        if !isAtEnd {
            let begins = try array { try $0.array { try $0.time() } }
            guard begins.count == state.courses.count else {
                throw StateDamage("the beginnings of the objective \(name) of \(bot) do not fit its states")
            }
            for (index, begins) in begins.enumerated() {
                let track = state.courses[index].track
                state.courses[index].track = FiringHysteresis(
                    heldSince: track.heldSince, clearSince: track.clearSince, isFiring: track.isFiring, begins: begins)
            }
        }
        return state
    }

    private mutating func watchLog() throws -> WatchLog {
        var previous: Int64 = 0
        let spans = try array { from in
            let begin = previous &+ (try from.signed())
            previous = begin &+ (try from.signed())
            guard (0...Self.latestSecond).contains(begin), (0...Self.latestSecond).contains(previous) else {
                throw StateDamage("a time is not valid")
            }
            return WatchLog.Span(begin: begin, end: previous)
        }
        guard let log = WatchLog(spans: spans) else { throw StateDamage("an objective's watch has invalid times") }
        return log
    }

    private mutating func course() throws -> ObjectiveState.Course {
        let window = try text()
        let track = FiringHysteresis(
            heldSince: try optional { try $0.time() }, clearSince: try optional { try $0.time() },
            isFiring: try bool())
        return ObjectiveState.Course(
            subject: window.isEmpty ? .violation : .burn(window), track: track, sinceUnixNanoseconds: try time())
    }

    mutating func alert() throws -> AlertState {
        let (name, severity, bot, state, condition) = (try text(), try text(), try text(), try text(), try text())
        guard let state = AlertSnapshot.State(rawValue: state) else {
            throw StateDamage("the alert \(name) of \(bot) is in no known state")
        }
        var snapshot = AlertSnapshot(
            alert: name, severity: severity, bot: bot, state: state, condition: condition,
            value: try optional { try $0.notNaN() }, labels: try labels(), sinceUnixNanoseconds: try time())
        let heldSince = try optional { try $0.time() }
        let looks = try array {
            IncreaseTrack.Look(
                nanoseconds: try $0.time(), total: ExactTotal(try $0.number()), other: ExactTotal(try $0.number()))
        }
        // Earlier collectors stored less.
        var isDismissed = false
        if !isAtEnd {
            snapshot.unknownSinceUnixNanoseconds = try optional { try $0.time() }
            isDismissed = try bool()
        }
        var clearSince: Int64?
        if !isAtEnd {
            clearSince = try optional { try $0.time() }
            snapshot.resolvingSinceUnixNanoseconds = try optional { try $0.time() }
        }
        let begins = isAtEnd ? [] : try array { try $0.time() }
        return AlertState(
            snapshot: snapshot, heldSince: heldSince, clearSince: clearSince, looks: looks, isDismissed: isDismissed,
            begins: begins)
    }

    mutating func silence() throws -> Silence {
        Silence(
            number: try unsigned(), alert: Glob(try text()), bot: Glob(try text()), reason: try text(),
            sinceUnixNanoseconds: try time(), endNanoseconds: try time())
    }

    /// The latest valid time, in seconds since the Unix epoch. No collector will run as late as this.
    private static let latestSecond: Int64 = 1 << 40

    mutating func process() throws -> BotProcessState {
        BotProcessState(
            bot: try text(),
            processes: try array { from in
                BotProcessState.Process(
                    pid: Int32(truncatingIfNeeded: try from.signed()), startTicks: try from.unsigned(),
                    totals: try from.processTotals())
            },
            earlier: try optional { try $0.processTotals() })
    }

    mutating func gone() throws -> GoneState {
        GoneState(bot: try text(), since: try time(), before: try time(), wholeHours: try time())
    }

    private mutating func processTotals() throws -> BotProcessSnapshot.Totals {
        var totals = BotProcessSnapshot.Totals()
        totals.cpuSeconds = try double()
        totals.minorFaults = try unsigned()
        totals.majorFaults = try unsigned()
        totals.voluntarySwitches = try unsigned()
        totals.involuntarySwitches = try unsigned()
        guard totals.cpuSeconds.isFinite, totals.cpuSeconds >= 0 else {
            throw StateDamage("the CPU time of a process is not valid")
        }
        return totals
    }

    private mutating func eventCounts() throws -> EventCounts {
        EventCounts(good: try unsigned(), bad: try unsigned())
    }

    mutating func identifier() throws -> Segment.Identifier {
        Segment.Identifier(high: try double().bitPattern, low: try double().bitPattern)
    }

    private mutating func lossCounts() throws -> LossCounts {
        let counts = try array { from in
            (reason: try from.text(), count: try from.unsigned())
        }
        var lost = LossCounts()
        for (name, count) in counts {
            guard let reason = LossReason(rawValue: name) else { throw StateDamage("there is no loss reason \(name)") }
            lost[reason] = count
        }
        return lost
    }

    private mutating func labels() throws -> [Label] {
        try array { Label(try $0.text(), try $0.text()) }
    }

    private mutating func metric() throws -> MetricDescriptor {
        let (name, help, kind, unit) = (try text(), try text(), try text(), try text())
        guard let kind = MetricKind(rawValue: kind), let unit = MetricUnit(rawValue: unit) else {
            throw StateDamage("the metric \(name) has an unknown kind or unit")
        }
        return MetricDescriptor(name: name, help: help, kind: kind, unit: unit, labels: try labels())
    }

    private mutating func cellTotals() throws -> CellTotals {
        CellTotals(
            first: try optional { try $0.number() },
            second: try unsigned())
    }

    private mutating func number() throws -> Number {
        switch try unsigned() {
        case 0: .unsigned(try unsigned())
        case 1: .signed(try signed())
        case 2: .real(try double())
        default: throw StateDamage("a number is of no known kind")
        }
    }

    private mutating func histogram() throws -> HistogramState {
        let failed = try unsigned()
        let scale = Int(truncatingIfNeeded: try signed())
        let buckets = SketchSnapshot(
            scale: scale, positive: try self.buckets(), negative: try self.buckets(), zeroCount: try unsigned())
        // Earlier versions stored values here that were negative powers of two.
        _ = try self.buckets()
        let tally = try tally()
        let state = HistogramState(
            failed: failed, content: SketchContent(buckets: buckets), tally: tally, edges: try edges())
        guard state.isValid else { throw StateDamage("the values of a histogram are not valid") }
        return state
    }

    private mutating func buckets() throws -> [SketchSnapshot.Bucket] {
        var previous: Int64 = 0
        return try array { from in
            let (index, overflowed) = previous.addingReportingOverflow(try from.signed())
            guard !overflowed, let narrow = Int32(exactly: index) else { throw StateDamage("a bucket is not valid") }
            previous = index
            return SketchSnapshot.Bucket(index: narrow, count: try from.unsigned())
        }
    }
}

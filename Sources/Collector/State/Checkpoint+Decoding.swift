internal import Drain
internal import RingReader
internal import Rules
internal import Series
internal import Sketch

extension StateDecoder {
    mutating func ring() throws -> RingState {
        guard let name = RingName(try text()) else { throw StateDamage("a ring's name is none") }
        return RingState(
            name: name, ringID: try identifier(), position: try unsigned(), drained: try unsigned(),
            lost: try lossCounts(),
            lastRecordTime: try optional { try $0.time() },
            pid: Int32(truncatingIfNeeded: try signed()))
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
        return bot
    }

    mutating func series() throws -> KeptSeries {
        let (bot, key) = (try text(), try text())
        var state = SeriesState(
            metric: try metric(), ordinal: try unsigned(), createdUnixSeconds: try unixSeconds(),
            cellsCreatedUnixSeconds: try unixSeconds(), histogram: try optional { try $0.histogram() },
            parts: try array { from in
                SeriesState.Part(
                    lane: try from.text(), carried: try from.cellTotals(), live: try from.cellTotals(),
                    late: try from.unsigned(), future: try from.unsigned())
            })
        guard Set(state.parts.map(\.lane)).count == state.parts.count,
            (state.metric.kind == .histogram) == (state.histogram != nil)
        else { throw StateDamage("the series \(key) of \(bot) does not agree with itself") }
        if let histogram = state.histogram { state.histogram?.weights = try weights(of: histogram) }
        return KeptSeries(bot: bot, key: key, state: state)
    }

    /// Earlier versions kept none: how those values were weighted is not known.
    private mutating func weights(of histogram: HistogramState) throws -> SampleWeights {
        guard !isAtEnd else { return SampleWeights(unknown: histogram.content.buckets.count) }
        let weights = SampleWeights(
            unrecorded: try unsigned(), squaredExcess: try double(), unknown: try unsigned())
        guard weights.isValid else { throw StateDamage("the weights of a histogram are none") }
        return weights
    }

    mutating func objective() throws -> ObjectiveState {
        let (name, bot, signature, counted) = (try text(), try text(), try text(), try eventCounts())
        let levels = try array { from in
            var previous: Int64 = 0
            return try from.array { from in
                previous &+= try from.signed()
                guard (0...Self.latestSecond).contains(previous) else { throw StateDamage("a time is none") }
                return EventBuckets.Bucket(number: previous, counts: try from.eventCounts())
            }
        }
        guard let buckets = EventBuckets(levels: levels) else {
            throw StateDamage("the times of the objective \(name) of \(bot) are none")
        }
        return ObjectiveState(objective: name, bot: bot, signature: signature, counted: counted, buckets: buckets)
    }

    mutating func alert() throws -> AlertState {
        let (name, severity, bot, state, condition) = (try text(), try text(), try text(), try text(), try text())
        guard let state = AlertSnapshot.State(rawValue: state) else {
            throw StateDamage("the alert \(name) of \(bot) stands in no way that there is")
        }
        let snapshot = AlertSnapshot(
            alert: name, severity: severity, bot: bot, state: state, condition: condition,
            value: try optional { try $0.notNaN() }, labels: try labels(), sinceUnixNanoseconds: try time())
        return AlertState(
            snapshot: snapshot, heldSince: try optional { try $0.time() },
            looks: try array {
                IncreaseTrack.Look(
                    nanoseconds: try $0.time(), total: ExactTotal(try $0.number()), other: ExactTotal(try $0.number())
                )
            })
    }

    /// In seconds since the Unix epoch: beyond all times that a collector lives to see.
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
            throw StateDamage("the time that a process used is none")
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
            guard let reason = LossReason(rawValue: name) else { throw StateDamage("there is no loss \(name)") }
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
            throw StateDamage("the metric \(name) has a kind or a unit that there is not")
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
        default: throw StateDamage("a number is of no kind")
        }
    }

    private mutating func histogram() throws -> HistogramState {
        let failed = try unsigned()
        let scale = Int(truncatingIfNeeded: try signed())
        let buckets = SketchSnapshot(
            scale: scale, positive: try self.buckets(), negative: try self.buckets(), zeroCount: try unsigned())
        let content = SketchContent(
            buckets: buckets, negativePowers: try self.buckets())
        let (minimum, maximum) = (try double(), try double())
        let sum = SumAccumulator.Parts(
            units: try signed(), valuePerUnit: try double(), rounded: try double(), compensation: try double())
        let edges = try array { EdgeCount(edge: try $0.double(), cumulativeCount: try $0.unsigned()) }
        let state = HistogramState(
            failed: failed, content: content, tally: Tally(minimum: minimum, maximum: maximum, sum: sum), edges: edges)
        guard state.isValid, !minimum.isNaN, !maximum.isNaN, sum.valuePerUnit > 0, sum.valuePerUnit.isFinite,
            sum.compensation.isFinite
        else { throw StateDamage("the values of a histogram are none") }
        return state
    }

    private mutating func buckets() throws -> [SketchSnapshot.Bucket] {
        var previous: Int64 = 0
        return try array { from in
            let (index, overflowed) = previous.addingReportingOverflow(try from.signed())
            guard !overflowed, let narrow = Int32(exactly: index) else { throw StateDamage("a bucket is none") }
            previous = index
            return SketchSnapshot.Bucket(index: narrow, count: try from.unsigned())
        }
    }
}

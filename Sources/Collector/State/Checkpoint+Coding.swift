internal import Drain
internal import RingReader
internal import Rules
internal import Series
internal import Sketch

// Whoever changes what is written here raises `StateFormat.version`: a state of another version is set aside. An entry of
// a new kind needs none: what was written before is read as it was.

extension StateEncoder {
    mutating func write(_ ring: RingState) {
        write(ring.name.description)
        write(ring.ringID)
        write(ring.position)
        write(ring.drained)
        write(ring.lost)
        write(ring.lastRecordTime) { $0.write($1) }
        write(Int64(ring.pid))
    }

    mutating func write(_ bot: BotState) {
        write(bot.name)
        write(bot.labels)
        write(bot.retired) {
            $0.write($1.lane)
            $0.write($1.drained)
            $0.write($1.lost)
            $0.write($1.lastRecordTime) { $0.write($1) }
            $0.write(Int64($1.pid))
        }
        write(Double(bitPattern: bot.view.fingerprint))
        write(bot.view.sinceUnixSeconds)
        write(bot.view.refused.sorted { $0.key < $1.key }) {
            $0.write($1.key)
            $0.write($1.value)
        }
    }

    mutating func write(_ series: KeptSeries) {
        write(series.bot)
        write(series.key)
        write(series.state.metric)
        write(series.state.ordinal)
        write(series.state.createdUnixSeconds)
        write(series.state.cellsCreatedUnixSeconds)
        write(series.state.histogram) { $0.write($1) }
        write(series.state.parts) {
            $0.write($1.lane)
            $0.write($1.carried)
            $0.write($1.live)
            $0.write($1.late)
            $0.write($1.future)
        }
        // Behind all that earlier versions wrote: an entry of theirs ends here.
        if let weights = series.state.histogram?.weights { write(weights) }
    }

    private mutating func write(_ weights: SampleWeights) {
        write(weights.unrecorded)
        write(weights.squaredExcess)
        write(weights.unknown)
    }

    mutating func write(_ objective: ObjectiveState) {
        write(objective.objective)
        write(objective.bot)
        write(objective.signature)
        write(objective.counted)
        write(objective.buckets.levels) { encoder, level in
            // Numbers as distances, which are 1 nearly always.
            var previous: Int64 = 0
            encoder.write(level) {
                $0.write($1.number &- previous)
                $0.write($1.counts)
                previous = $1.number
            }
        }
    }

    mutating func write(_ alert: AlertState) {
        let snapshot = alert.snapshot
        for text in [snapshot.alert, snapshot.severity, snapshot.bot, snapshot.state.rawValue, snapshot.condition] {
            write(text)
        }
        write(snapshot.value) { $0.write($1) }
        write(snapshot.labels)
        write(snapshot.sinceUnixNanoseconds)
        write(alert.heldSince) { $0.write($1) }
        write(alert.looks) {
            $0.write($1.nanoseconds)
            $0.write($1.total.number)
            $0.write($1.other.number)
        }
    }

    mutating func write(_ state: BotProcessState) {
        write(state.bot)
        write(state.processes) {
            $0.write(Int64($1.pid))
            $0.write($1.startTicks)
            $0.write($1.totals)
        }
        write(state.earlier) { $0.write($1) }
    }

    mutating func write(_ gone: GoneState) {
        write(gone.bot)
        write(gone.since)
        write(gone.before)
        write(gone.wholeHours)
    }

    private mutating func write(_ totals: BotProcessSnapshot.Totals) {
        write(totals.cpuSeconds)
        for count in [totals.minorFaults, totals.majorFaults, totals.voluntarySwitches, totals.involuntarySwitches] {
            write(count)
        }
    }

    private mutating func write(_ counts: EventCounts) {
        write(counts.good)
        write(counts.bad)
    }

    mutating func write(_ id: Segment.Identifier) {
        write(Double(bitPattern: id.high))
        write(Double(bitPattern: id.low))
    }

    /// By name, so that a reason that comes later changes no other's.
    private mutating func write(_ lost: LossCounts) {
        write(LossReason.allCases.filter { lost[$0] > 0 }) {
            $0.write($1.rawValue)
            $0.write(lost[$1])
        }
    }

    private mutating func write(_ labels: [Label]) {
        write(labels) {
            $0.write($1.name)
            $0.write($1.value)
        }
    }

    private mutating func write(_ metric: MetricDescriptor) {
        write(metric.name)
        write(metric.help)
        write(metric.kind.rawValue)
        write(metric.unit.rawValue)
        write(metric.labels)
    }

    private mutating func write(_ totals: CellTotals) {
        write(totals.first) { $0.write($1) }
        write(totals.second)
    }

    private mutating func write(_ number: Number) {
        switch number {
        case .unsigned(let value):
            write(UInt64(0))
            write(value)
        case .signed(let value):
            write(UInt64(1))
            write(value)
        case .real(let value):
            write(UInt64(2))
            write(value)
        }
    }

    private mutating func write(_ histogram: HistogramState) {
        write(histogram.failed)
        write(Int64(histogram.content.buckets.scale))
        write(buckets: histogram.content.buckets.positive)
        write(buckets: histogram.content.buckets.negative)
        write(histogram.content.buckets.zeroCount)
        write(buckets: histogram.content.negativePowers)
        write(histogram.tally.minimum)
        write(histogram.tally.maximum)
        let sum = histogram.tally.sum.parts
        write(sum.units)
        write(sum.valuePerUnit)
        write(sum.rounded)
        write(sum.compensation)
        write(histogram.edges) {
            $0.write($1.edge)
            $0.write($1.cumulativeCount)
        }
    }

    /// Each index as its distance from the one before, which is 1 nearly always.
    private mutating func write(buckets: [SketchSnapshot.Bucket]) {
        write(UInt64(buckets.count))
        var previous: Int64 = 0
        for bucket in buckets {
            write(Int64(bucket.index) - previous)
            write(bucket.count)
            previous = Int64(bucket.index)
        }
    }
}

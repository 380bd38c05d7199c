internal import Drain
internal import RingReader
internal import Rules
internal import Series
internal import Sketch

// Raise `StateFormat.version` when the encoding of an entry changes. A state of another version is set aside. A new
// kind of entry needs no new version, since older entries are read as before. Nor does a new field after all others.

extension StateEncoder {
    mutating func write(_ ring: RingState) {
        write(ring.name.description)
        write(ring.ringID)
        write(ring.position)
        write(ring.drained)
        write(ring.lost)
        write(ring.lastRecordTime) { $0.write($1) }
        write(Int64(ring.pid))
        write(ring.wasClosed) { $0.write($1) }
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
        // These come after all fields of earlier versions, whose entries end here.
        write(bot.view.scales.sorted { $0.key < $1.key }) {
            $0.write($1.key)
            $0.write($1.value.sorted { $0.key < $1.key }) {
                $0.write($1.key)
                $0.write($1.value)
            }
        }
        write(bot.retired) { $0.write($1.wasClosed) { $0.write($1) } }
    }

    mutating func write(_ series: CheckpointedSeries) {
        write(series.bot)
        write(series.key)
        write(series.state.metric)
        write(series.state.ordinal)
        write(series.state.createdUnixSeconds)
        write(series.state.cellsCreatedUnixSeconds)
        write(series.state.histogram) { $0.write($1) }
        write(series.state.parts)
        // These come after all fields of earlier versions, whose entries end here.
        if let weights = series.state.histogram?.weights { write(weights) }
        if series.number > 0 { write(series.number) }
    }

    mutating func write(_ changes: CheckpointedChanges) {
        write(changes.name.bot)
        write(changes.name.number)
        write(changes.series) {
            $0.write($1.key)
            $0.write($1.change.histogram)
            $0.write($1.change.parts)
        }
    }

    private mutating func write(_ change: HistogramChange) {
        write(change.failed)
        write(buckets: change.added.buckets.positive)
        write(buckets: change.added.buckets.negative)
        write(change.added.buckets.zeroCount)
        write(change.tally)
        write(change.edges)
        write(change.weights)
    }

    private mutating func write(_ parts: [SeriesState.Part]) {
        write(parts) {
            $0.write($1.lane)
            $0.write($1.carried)
            $0.write($1.live)
            $0.write($1.late)
            $0.write($1.future)
        }
    }

    private mutating func write(_ tally: Tally) {
        write(tally.minimum)
        write(tally.maximum)
        let sum = tally.sum.parts
        write(sum.units)
        write(sum.valuePerUnit)
        write(sum.rounded)
        write(sum.compensation)
    }

    private mutating func write(_ edges: [EdgeCount]) {
        write(edges) {
            $0.write($1.edge)
            $0.write($1.cumulativeCount)
        }
    }

    mutating func write(_ levels: CheckpointedLevels) {
        write(levels.bot)
        write(levels.key)
        write(levels.levels) { encoder, level in
            switch level.statistic {
            case .quantile(let quantile):
                encoder.write(UInt64(0))
                encoder.write(quantile)
            case .rate: encoder.write(UInt64(1))
            case .value: encoder.write(UInt64(2))
            }
            encoder.write(level.lane)
            encoder.write(UInt64(level.state))
            encoder.write(level.sinceUnixSeconds)
            encoder.write(level.value)
            encoder.write(level.lastUnixSeconds)
            encoder.write(Int64(level.score))
            encoder.write(positions: level.recent)
            encoder.write(level.days) { $0.write(positions: $1) }
            encoder.write(level.lastDay) { $0.write($1) }
            encoder.write(level.halfHour)
            encoder.write(UInt64(level.halfHourReadings))
            encoder.write(Int64(level.low))
            encoder.write(Int64(level.high))
        }
    }

    /// Writes each as its distance from the one before, which is nearly always small.
    private mutating func write(positions: [Int16]) {
        var previous: Int64 = 0
        write(positions) {
            $0.write(Int64($1) - previous)
            previous = Int64($1)
        }
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
            // Stores each number as the difference from the one before, which is nearly always 1.
            var previous: Int64 = 0
            encoder.write(level) {
                $0.write($1.number &- previous)
                $0.write($1.counts)
                previous = $1.number
            }
        }
        // These come after all fields of earlier versions, whose entries end here.
        write(objective.watched) { encoder, watched in
            var previous: Int64 = 0
            encoder.write(watched.spans) {
                $0.write($1.begin &- previous)
                $0.write($1.end &- $1.begin)
                previous = $1.end
            }
        }
        write(objective.courses) {
            switch $1.subject {
            case .violation: $0.write("")
            case .burn(let window): $0.write(window)
            }
            $0.write($1.track.heldSince) { $0.write($1) }
            $0.write($1.track.clearSince) { $0.write($1) }
            $0.write($1.track.isFiring)
            $0.write($1.sinceUnixNanoseconds)
        }
        write(objective.courses) { $0.write($1.track.begins) { $0.write($1) } }
    }

    mutating func write(_ alert: AlertState) {
        let snapshot = alert.snapshot
        for text in [snapshot.alert, snapshot.severity, snapshot.bot, snapshot.state.rawValue, snapshot.condition] {
            write(text)
        }
        write(snapshot.value) { $0.write($1) }
        write(snapshot.labels)
        write(snapshot.sinceUnixNanoseconds)
        write(alert.course.heldSince) { $0.write($1) }
        write(alert.looks) {
            $0.write($1.nanoseconds)
            $0.write($1.total.number)
            $0.write($1.other.number)
        }
        write(snapshot.unknownSinceUnixNanoseconds) { $0.write($1) }
        write(alert.isDismissed)
        write(alert.course.clearSince) { $0.write($1) }
        write(snapshot.resolvingSinceUnixNanoseconds) { $0.write($1) }
        write(alert.course.begins) { $0.write($1) }
    }

    mutating func write(_ silence: Silence) {
        write(silence.number)
        write(silence.alert.description)
        write(silence.bot.description)
        write(silence.reason)
        write(silence.sinceUnixNanoseconds)
        write(silence.endNanoseconds)
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

    /// Writes counts by name, so that a reason added later changes no other.
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
        write(buckets: [])
        write(histogram.tally)
        write(histogram.edges)
    }

    /// Writes each index as the difference from the one before, which is nearly always 1.
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

package import Series

/// What the history holds of each series in all, and so what a snapshot adds to it: a minute is the exact difference of two
/// totals.
///
/// A total that is below what the history holds began anew. In the first snapshot after a start nobody knows how much of it
/// the history has already: it is taken as the new total and counted as nothing, so that no record is ever in two minutes.
/// Later all of it is new.
///
/// Records that are older than the windows are in the same difference, and are taken out of it for the minutes of their own
/// time. Where they are not in it, as after a restart, they stand where the rest does: never in two minutes.
package struct HistoryLedger: Sendable {
    fileprivate struct Total: Sendable {
        var value: MinuteValue
        /// A counter's, exactly; nil where it is only known from a file.
        var counted: ExactTotal?
        /// Under which of its bot's labels it was last written.
        var botLabels: [Label]
    }

    // Without the bot's labels: totals go on when a bot comes back with another version.
    private var totals: [HistorySeriesKey: Total] = [:]
    private var last: HistoryMoment
    private let start: Start
    private var isFirst = true
    /// Those of the last snapshot.
    private var present: Set<HistorySeriesKey> = []
    /// Whether the file does not know the totals that are counted from.
    private var isFileNew = false
    /// The last batch of late minutes that was taken in.
    package private(set) var lateBatch: UInt64 = 0

    /// What the history's totals and the collector's have to do with each other at the start.
    package enum Start: Sendable {
        /// The collector goes on from its own state, and the history from its.
        case resumed
        /// The history is new and the collector's totals are not: what they hold belongs to no minute.
        case historyIsNew
        /// The collector begins anew and the history does not: what the rings still hold is partly in it already.
        case collectorIsNew
        /// Both begin.
        case bothAreNew
    }

    /// - Parameters:
    ///   - totals: as the store gave them.
    ///   - begin: when the collector began to watch.
    package init(totals: [HistorySeriesKey: MinuteValue], start: Start, begin: HistoryMoment) {
        self.start = start
        last = begin
        for (key, value) in totals {
            let identity = key.withoutBotLabels
            // Of a bot's versions the last one has the greatest totals.
            if let known = self.totals[identity], known.value.amount >= value.amount { continue }
            self.totals[identity] = Total(value: value, counted: nil, botLabels: key.botLabels)
        }
    }

    /// The series that are alive.
    package var live: Set<HistorySeriesKey> {
        Set(present.map { $0.with(botLabels: totals[$0]?.botLabels ?? []) })
    }

    /// The store has let go of these.
    package mutating func forget(_ keys: Set<HistorySeriesKey>) {
        for key in keys where totals[key.withoutBotLabels]?.botLabels == key.botLabels {
            totals[key.withoutBotLabels] = nil
        }
    }

    /// The same totals, to be counted on from in a file that holds none yet.
    package var forNewFile: HistoryLedger {
        var ledger = self
        ledger.isFileNew = true
        return ledger
    }

    /// What a snapshot adds; to be given to ``accept(_:)`` once it is written.
    package struct Increase: Sendable {
        package var entries: [HistoryStore.Entry]
        fileprivate var totals: [HistorySeriesKey: Total]
        fileprivate var end: HistoryMoment
        fileprivate var lateBatch: UInt64
    }

    /// - Parameters:
    ///   - isWanted: which series; nil is all. What is noted beside them is always there.
    ///   - oldestMinute: what late records did before it is in the totals and in no minute, since none is kept.
    /// - Returns: nil for a snapshot that is older than what is written.
    package func increase(
        to snapshot: Snapshot, where isWanted: ((HistorySeriesKey) -> Bool)? = nil, oldestMinute: Int64 = 0
    ) -> Increase? {
        guard let interval = HistoryInterval(from: last, to: HistoryMoment(snapshot)) else { return nil }
        let minute = interval.minute
        var late = LateValues(snapshot.late, after: lateBatch)
        var increase = Increase(
            entries: [], totals: [:], end: HistoryMoment(snapshot),
            lateBatch: max(lateBatch, late.lastBatch ?? 0))
        increase.entries += Self.noted(interval)
        for bot in snapshot.bots {
            for reading in readings(of: bot) where isWanted?(reading.key) ?? true {
                let own = reading.isTotal ? late.take(reading.key.withoutBotLabels) : [:]
                note(reading, minute: minute, own, oldestMinute: oldestMinute, in: &increase)
            }
        }
        // Gauges are in the history at their own time though their bot has ended since.
        let botLabels = Dictionary(snapshot.bots.map { ($0.name, $0.labels) }) { first, _ in first }
        for (identity, series) in late.bySeries where identity.kind == .gauge {
            let key = identity.with(botLabels: botLabels[identity.bot] ?? [])
            guard isWanted?(key) ?? true else { continue }
            for (minute, value) in series.minutes where minute >= oldestMinute {
                increase.entries.append(
                    HistoryStore.Entry(key: key, help: series.help, minute: minute, value: value))
            }
        }
        return increase
    }

    /// How long the interval was watched, and how much of it lies in another minute than its own.
    private static func noted(_ interval: HistoryInterval) -> [HistoryStore.Entry] {
        let watched = HistoryStore.Entry(
            key: NotedSeries.watched, help: "Time that the collector watched.", minute: interval.minute,
            value: .counter(interval.seconds))
        return [watched]
            + interval.displacedSeconds.sorted { $0.key < $1.key }.map { minute, seconds in
                HistoryStore.Entry(
                    key: NotedSeries.displaced, help: "Time whose values stand in another minute.", minute: minute,
                    value: .counter(seconds))
            }
    }

    /// The increase is in the store.
    package mutating func accept(_ increase: Increase) {
        totals.merge(increase.totals) { $1 }
        last = increase.end
        lateBatch = increase.lateBatch
        present = Set(increase.totals.keys)
        (isFirst, isFileNew) = (false, false)
    }

    private func note(
        _ reading: Reading, minute: Int64, _ late: [Int64: MinuteValue], oldestMinute: Int64,
        in increase: inout Increase
    ) {
        if case .gauge = reading.value {
            increase.entries.append(
                HistoryStore.Entry(key: reading.key, help: reading.help, minute: minute, value: reading.value))
            return
        }
        let identity = reading.key.withoutBotLabels
        let known = totals[identity]
        var since = self.since(reading, known)
        var own: [Int64: MinuteValue] = [:]
        if !late.isEmpty, let rest = since.value.without(late.values, total: reading.value) {
            own = late.filter { $0.key >= oldestMinute }
            if own.count < late.count {
                var base = since.base ?? known?.value ?? reading.value.nothing
                for (minute, value) in late where minute < oldestMinute { base.merge(value) }
                since.base = base
            }
            since.value = rest
        }
        increase.totals[identity] = Total(
            value: reading.value, counted: reading.counted, botLabels: reading.key.botLabels)
        let hasMoved = known.map { $0.botLabels != reading.key.botLabels } ?? false
        if since.value.isIdle, own.isEmpty, since.base == nil, !isFileNew {
            // The labels that it has now count from its next record on.
            if let known { increase.totals[identity]?.botLabels = known.botLabels }
            return
        }
        increase.entries.append(
            HistoryStore.Entry(
                key: reading.key, help: reading.help, minute: minute, value: since.value,
                baseBefore: since.base ?? (hasMoved || isFileNew ? known?.value : nil)))
        for (minute, value) in own {
            increase.entries.append(
                HistoryStore.Entry(key: reading.key, help: reading.help, minute: minute, value: value))
        }
    }

    /// What came since the total that is known; and the total to count it from, where that is another one.
    private func since(_ reading: Reading, _ known: Total?) -> (value: MinuteValue, base: MinuteValue?) {
        guard let known else {
            guard !(isFirst && start == .historyIsNew) else { return (reading.value.nothing, reading.value) }
            // An earlier collector watched it come, and did not live to write it down.
            guard !(isFirst && start == .resumed) else { return (reading.value, nil) }
            // A counter's total may be of long before anyone watched.
            guard case .counter(let total) = reading.value, let watched = reading.watchedIncrease, watched < total
            else { return (reading.value, nil) }
            return (.counter(max(0, watched)), .counter(total - max(0, watched)))
        }
        if !(isFirst && start == .collectorIsNew), let difference = reading.subtracting(known) {
            return (difference, nil)
        }
        return isFirst ? (reading.value.nothing, reading.value) : (reading.value, reading.value.nothing)
    }
}

extension HistoryLedger.Reading {
    /// What came since an earlier total; nil where it is below that.
    fileprivate func subtracting(_ earlier: HistoryLedger.Total) -> MinuteValue? {
        guard let counted, let before = earlier.counted else { return value.subtracting(earlier.value) }
        let increase = (counted - before).double
        // Of a total that was infinite before nobody knows how much it grew.
        if increase.isNaN { return .counter(0) }
        return increase < 0 ? nil : .counter(increase)
    }
}

extension HistorySeriesKey {
    var withoutBotLabels: HistorySeriesKey { with(botLabels: []) }

    func with(botLabels: [Label]) -> HistorySeriesKey {
        var key = self
        key.botLabels = botLabels
        return key
    }
}

extension MinuteValue {
    /// How much it counts: of two totals of a series the later one is not below the earlier.
    fileprivate var amount: Double {
        switch self {
        case .counter(let total): total
        case .gauge: 0
        case .histogram(let total): Double(total.sketch.count)
        }
    }

    fileprivate var nothing: MinuteValue {
        switch self {
        case .counter: .counter(0)
        case .gauge: self
        case .histogram: .histogram(.empty)
        }
    }

    /// Nil where it is below the earlier total.
    fileprivate func subtracting(_ earlier: MinuteValue) -> MinuteValue? {
        switch (self, earlier) {
        case (.counter(let now), .counter(let earlier)):
            if now == earlier { return .counter(0) }
            // A sum of doubles that was added up in another order.
            let isWhole = now == now.rounded() && earlier == earlier.rounded()
            let slack = isWhole ? (now < 0x1p53 ? 0 : 64 * now.ulp) : now.magnitude * 1e-12
            return now >= earlier - slack ? .counter(now - earlier > slack ? now - earlier : 0) : nil
        case (.histogram(let now), .histogram(let earlier)):
            guard let sketch = now.sketch.subtracting(earlier.sketch), now.failed >= earlier.failed else { return nil }
            // With no value the sum is none, whatever rounding says.
            let sum = sketch.count > 0 ? now.sum - earlier.sum : 0
            let extremes = now.extremes(of: sketch)
            return .histogram(
                HistogramMinute(
                    calls: now.calls >= earlier.calls ? now.calls - earlier.calls : 0,
                    failed: now.failed - earlier.failed, sum: sum, minimum: extremes.minimum,
                    maximum: extremes.maximum, sketch: sketch, weights: now.weights.subtracting(earlier.weights)))
        default: return nil
        }
    }
}

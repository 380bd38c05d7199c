package import Exposition
package import Series

/// The stored total of each series. It yields the entries that a snapshot adds: a minute is the exact difference of two
/// totals.
///
/// A total below the stored one began anew. In the first snapshot after a start it is unknown how much of such a total
/// the history has already. It becomes the new total and adds nothing, so that no record is ever in two minutes. In a
/// later snapshot all of it is new.
///
/// Late records (older than the windows) are part of the same difference. They are subtracted from it, and stored in
/// the minutes of their own time. If the difference does not contain them, as after a restart, they are not stored by
/// themselves, so that no record is in two minutes.
package struct HistoryLedger: Sendable {
    fileprivate struct Total: Sendable {
        var value: MinuteValue
        /// A counter's exact total; nil if it is only known from a file.
        var counted: Number?
        /// The labels of its bot when it was last written.
        var botLabels: [Label]
        /// The number of the last snapshot that had the series; 0 if none had.
        var snapshot: UInt64 = 0
    }

    // Keyed without the bot's labels, so that totals continue when a bot comes back with another version.
    private var totals: [HistorySeriesKey: Total] = [:]
    private var last: HistoryMoment
    private let start: Start
    private var isFirst = true
    /// The number of the last snapshot.
    private var snapshot: UInt64 = 0
    /// Whether the file is new and lacks the totals from which the next minute is counted.
    private var isFileNew = false
    /// The last stored batch of late minutes.
    package private(set) var lateBatch: UInt64 = 0

    /// How the totals of the history and of the collector relate at the start.
    package enum Start: Sendable {
        /// Both the collector and the history continue from their stored state.
        case restored
        /// The history is new but the collector's totals are not. They belong to no minute.
        case historyIsNew
        /// The collector is new but the history is not. Part of the records that the rings still hold is already
        /// stored.
        case collectorIsNew
        /// Both are new.
        case bothAreNew
    }

    /// - Parameters:
    ///   - totals: as read from the store.
    ///   - begin: when the collector began to watch.
    package init(totals: [HistorySeriesKey: MinuteValue], start: Start, begin: HistoryMoment) {
        self.start = start
        last = begin
        for (key, value) in totals {
            let identity = key.withoutBotLabels
            // Among the versions of a bot, the last one has the greatest totals.
            if let known = self.totals[identity], known.value.amount >= value.amount { continue }
            self.totals[identity] = Total(value: value, counted: nil, botLabels: key.botLabels)
        }
    }

    /// The counters and histograms of the last snapshot, with the labels under which they are stored.
    package var live: Set<HistorySeriesKey> {
        guard snapshot > 0 else { return [] }
        return Set(totals.lazy.filter { $1.snapshot == snapshot }.map { $0.with(botLabels: $1.botLabels) })
    }

    /// Removes the totals of series that the store has removed.
    package mutating func forget(_ keys: Set<HistorySeriesKey>) {
        for key in keys where totals[key.withoutBotLabels]?.botLabels == key.botLabels {
            totals[key.withoutBotLabels] = nil
        }
    }

    /// The same totals, as the base for a new, empty file.
    package var forNewFile: HistoryLedger {
        var ledger = self
        ledger.isFileNew = true
        return ledger
    }

    /// The entries that a snapshot adds. Pass it to ``accept(_:)`` after it is written.
    package struct Increase: Sendable {
        package var entries: [HistoryStore.Entry]
        fileprivate var totals: [(key: HistorySeriesKey, total: Total)]
        fileprivate var end: HistoryMoment
        fileprivate var lateBatch: UInt64
    }

    /// Returns the entries that a snapshot adds.
    ///
    /// - Parameters:
    ///   - process: the system's figures for the collector's own process; nil if they were not read.
    ///   - isWanted: selects series; nil is all. The watched and the displaced time are always included.
    ///   - oldestMinute: late records before it count in the totals but in no minute, since retention has removed their
    ///     minutes.
    /// - Returns: nil for a snapshot that is older than the last one.
    package func increase(
        to snapshot: Snapshot, process: ProcessStatistics? = nil, where isWanted: ((HistorySeriesKey) -> Bool)? = nil,
        oldestMinute: Int64 = 0
    ) -> Increase? {
        guard let interval = HistoryInterval(from: last, to: HistoryMoment(snapshot)) else { return nil }
        let minute = interval.minute
        var late = LateValues(snapshot.late, after: lateBatch)
        var increase = Increase(
            entries: [], totals: [], end: HistoryMoment(snapshot),
            lateBatch: max(lateBatch, late.lastBatch ?? 0))
        increase.entries += Self.noted(interval)
        for reading in Self.readings(of: snapshot.collector, process: process) where isWanted?(reading.key) ?? true {
            note(reading, minute: minute, [:], oldestMinute: oldestMinute, in: &increase)
        }
        let objectives = Dictionary(grouping: snapshot.objectives, by: \.bot)
        for bot in snapshot.bots {
            for reading in readings(of: bot, objectives[bot.name] ?? []) where isWanted?(reading.key) ?? true {
                let own = reading.isTotal ? late.take(reading.key.withoutBotLabels) : [:]
                note(reading, minute: minute, own, oldestMinute: oldestMinute, in: &increase)
            }
        }
        // Gauges keep their time even if their bot has ended since.
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

    /// Returns entries that record how long the interval was watched, and how much of it is in the wrong minute.
    private static func noted(_ interval: HistoryInterval) -> [HistoryStore.Entry] {
        let watched = HistoryStore.Entry(
            key: BuiltInSeries.watched, help: "Time that the collector watched.", minute: interval.minute,
            value: .counter(interval.seconds))
        return [watched]
            + interval.displacedSeconds.sorted { $0.key < $1.key }.map { minute, seconds in
                HistoryStore.Entry(
                    key: BuiltInSeries.displaced, help: "Time whose values stand in another minute.", minute: minute,
                    value: .counter(seconds))
            }
    }

    /// Adopts the totals of an increase that is in the store.
    package mutating func accept(_ increase: Increase) {
        snapshot += 1
        for (key, var total) in increase.totals {
            total.snapshot = snapshot
            totals[key] = total
        }
        last = increase.end
        lateBatch = increase.lateBatch
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
        let known = isFirst && reading.past == .none ? nil : totals[identity]
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
        let hasMoved = known.map { $0.botLabels != reading.key.botLabels } ?? false
        let isIdle = since.value.isIdle && own.isEmpty && since.base == nil && !isFileNew
        // The bot's current labels apply from its next record on.
        let botLabels = isIdle ? known?.botLabels : nil
        increase.totals.append(
            (
                identity,
                Total(
                    value: reading.value, counted: reading.counted, botLabels: botLabels ?? reading.key.botLabels)
            ))
        guard !isIdle else { return }
        increase.entries.append(
            HistoryStore.Entry(
                key: reading.key, help: reading.help, minute: minute, value: since.value,
                baseBefore: since.base ?? (hasMoved || isFileNew ? known?.value : nil)))
        for (minute, value) in own {
            increase.entries.append(
                HistoryStore.Entry(key: reading.key, help: reading.help, minute: minute, value: value))
        }
    }

    /// Returns the increase since the known total, and the total from which it is counted if that is another one.
    private func since(_ reading: Reading, _ known: Total?) -> (value: MinuteValue, base: MinuteValue?) {
        guard let known else {
            if reading.past == .none { return (reading.value, nil) }
            if isFirst, reading.past == .unknown, start != .bothAreNew {
                return (reading.value.nothing, reading.value)
            }
            guard !(isFirst && start == .historyIsNew) else { return (reading.value.nothing, reading.value) }
            // An earlier collector saw the series begin, but ended before it stored the beginning.
            guard !(isFirst && start == .restored) else { return (reading.value, nil) }
            // A counter's total may include a time before anyone watched.
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
    /// Returns the increase since an earlier total; nil if this total is below it.
    fileprivate func subtracting(_ earlier: HistoryLedger.Total) -> MinuteValue? {
        guard let counted, let before = earlier.counted else { return value.subtracting(earlier.value) }
        let increase = (ExactTotal(counted) - ExactTotal(before)).double
        // The growth of a total that was infinite is unknown.
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
    /// The size of a total: of two totals of a series, the later one is not smaller.
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

    /// Returns the increase since an earlier total; nil if this total is below it.
    fileprivate func subtracting(_ earlier: MinuteValue) -> MinuteValue? {
        switch (self, earlier) {
        case (.counter(let now), .counter(let earlier)):
            if now == earlier { return .counter(0) }
            // A sum of doubles may differ because it was added in another order.
            let isWhole = now == now.rounded() && earlier == earlier.rounded()
            let slack = isWhole ? (now < 0x1p53 ? 0 : 64 * now.ulp) : now.magnitude * 1e-12
            return now >= earlier - slack ? .counter(now - earlier > slack ? now - earlier : 0) : nil
        case (.histogram(let now), .histogram(let earlier)):
            guard let sketch = now.sketch.subtracting(earlier.sketch), now.failed >= earlier.failed else { return nil }
            // Without values the sum is zero, whatever rounding leaves.
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

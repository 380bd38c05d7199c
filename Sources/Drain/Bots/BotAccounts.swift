internal import Configuration
internal import Platform
internal import Rules
internal import Series

/// The bots by name, and the configuration that applies to each, future ones included.
final class BotAccounts {
    private var accounts: [String: BotAccount] = [:]
    private let options: SeriesOptions
    private let budget: SeriesBudget
    /// Collects records that are older than the windows; nil if there is no history.
    private let late: LateMinutes?
    private var objectives: [ObjectiveDefinition] = []
    private var metricRules: [MetricRule] = []
    /// The rules by which the exports show every bot, and the time since which they apply.
    private var shown = (rules: MetricRules(), sinceUnixSeconds: 0.0)
    /// The part of the stored state that was not restored, and the time at which that was found, in seconds since the
    /// Unix epoch.
    private var begunAnew: (setAside: StateSetAside, unixSeconds: Double)?

    init(options: SeriesOptions, budget: SeriesBudget, late: LateMinutes?) {
        self.options = options
        self.budget = budget
        self.late = late
    }

    var count: Int { accounts.count }

    var names: Dictionary<String, BotAccount>.Keys { accounts.keys }

    /// In no particular order.
    var all: Dictionary<String, BotAccount>.Values { accounts.values }

    var sorted: [BotAccount] { accounts.values.sorted { $0.series.name < $1.series.name } }

    /// Returns the bots with the most series, and their numbers.
    func largest(_ count: Int) -> [LimitStatus.BotSize] {
        let all = all.map { LimitStatus.BotSize(bot: $0.series.name, series: $0.series.seriesCount) }
        return Array(all.sorted { ($1.series, $0.bot) < ($0.series, $1.bot) }.prefix(count))
    }

    subscript(name: String) -> BotAccount? { accounts[name] }

    /// Returns the account of a bot, and makes it if there is none.
    func account(of name: String, now: MonotonicTime) -> BotAccount {
        if let account = accounts[name] { return account }
        let account = BotAccount(name: name, options: options, now: now, budget: budget)
        accounts[name] = account
        account.series.late = late
        if let begunAnew, begunAnew.setAside.begins(anew: name) {
            account.series.leastCreatedUnixSeconds = begunAnew.unixSeconds
        }
        hold(account.series)
        account.show(by: shown.rules, nowUnixSeconds: shown.sinceUnixSeconds)
        return account
    }

    func remove(_ name: String) { accounts[name] = nil }

    /// Sets the time from which new series of bots count if their stored state was not restored.
    func beginAnew(_ setAside: StateSetAside?, unixSeconds: Double) { begunAnew = setAside.map { ($0, unixSeconds) } }

    /// Applies these objectives to every bot, and the edges of these rules to its histograms.
    func hold(to objectives: [ObjectiveDefinition], metricRules: [MetricRule]) {
        self.objectives = objectives
        self.metricRules = metricRules
        for account in all { hold(account.series) }
    }

    private func hold(_ bot: BotSeries) {
        bot.hold(to: objectives.filter { $0.bot.matches(bot.name) }.compactMap(\.rule)) {
            [metricRules, name = bot.name] in metricRules.edges(of: $0, labels: $1, bot: name)
        }
    }

    /// Applies the rules by which the exports show every bot.
    func show(by rules: MetricRules, unixSeconds: Double) {
        shown = (rules, unixSeconds)
        for account in all { account.show(by: rules, nowUnixSeconds: unixSeconds) }
    }

    /// Advances all series to a time, before records are inserted.
    ///
    /// - Parameter unixOffsetNanoseconds: The difference from `now` to Unix time.
    func advance(to now: MonotonicTime, unixOffsetNanoseconds: Int64) {
        late?.unixOffsetNanoseconds = unixOffsetNanoseconds
        for account in all { account.series.advance(to: now) }
    }

    /// Returns the records that are older than the windows, under the names that their series are shown under.
    func lateBatches() -> [LateBatch] {
        guard let batches = late?.handOut(), !batches.isEmpty else { return [] }
        let shown = accounts.mapValues(\.shown)
        return batches.map { batch in
            LateBatch(
                number: batch.number,
                series: batch.series.compactMap { series in
                    guard case .some(.some(let shown)) = shown[series.bot] else { return series }
                    let own = SeriesKey(name: series.metric.name, labels: series.metric.labels)
                    return shown[own].map { series.shown(in: $0) }
                })
        }
    }

    /// Returns the series that changed since the previous checkpoint, or all of them.
    ///
    /// - Parameter number: The number of the checkpoint.
    func takeSeriesChanges(number: UInt64, all isFull: Bool) -> (
        whole: [CheckpointedSeries], changes: [CheckpointedChanges]
    ) {
        var whole: [CheckpointedSeries] = []
        var changes: [CheckpointedChanges] = []
        for bot in all {
            let name = bot.series.name
            var own = CheckpointedChanges(name: CheckpointedChanges.Name(bot: name, number: number), series: [])
            for (key, update) in bot.series.takeUpdates(number: number, all: isFull) {
                switch update {
                case .whole(let state):
                    whole.append(CheckpointedSeries(bot: name, key: key, state: state, number: number))
                case .change(let change): own.series.append(CheckpointedChanges.One(key: key, change: change))
                }
            }
            if !own.series.isEmpty { changes.append(own) }
        }
        return (whole, changes)
    }

    /// Returns the levels that changed since the last call, or all of them, for a limited number of series.
    func takeLevelChanges(all isFull: Bool, limit: Int) -> [CheckpointedLevels] {
        var changes: [CheckpointedLevels] = []
        for bot in all where changes.count < limit {
            changes += bot.series.takeLevelChanges(all: isFull, limit: limit - changes.count).map {
                CheckpointedLevels(bot: bot.series.name, key: $0.key, levels: $0.levels)
            }
        }
        return changes
    }

    /// Returns the series that were superseded by others of their name since the last call.
    func takeReplacedSeries() -> [Checkpoint.Removed] {
        all.flatMap { bot in
            bot.series.takeDropped().map { Checkpoint.Removed(bot: bot.series.name, key: $0) }
        }
    }
}

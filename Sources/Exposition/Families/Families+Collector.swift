import Series

/// The collector's statistics of itself and of each ring.
extension FamilyBuilder {
    typealias Sample = (value: Number, labels: [Label])

    /// Adds the collector's families. Claims their names even if there is no bot yet, so that no bot can take one.
    mutating func addCollector(_ snapshot: Snapshot, process: ProcessStatistics?) {
        addBuild(snapshot.collector)
        addConfiguration(snapshot.collector.configuration)
        addExports(snapshot.collector.exports)
        addServices(snapshot.collector.services)
        addState(snapshot.collector)
        addLimits(snapshot.collector.limits)
        addClock(snapshot.collector.clock)
        let up = snapshot.bots.map { Sample(.unsigned($0.isUp ? 1 : 0), [Label("bot", $0.name)]) }
        addAll("ringside_up", .gauge, "Whether the bot's producer is attached and alive.", up)
        addOverhead(snapshot.bots)
        addAll(
            "ringside_unread_rings", .gauge, "Rings of the directory that are not read; /health says why.",
            [(.unsigned(UInt64(snapshot.collector.skippedRings.count)), [])])
        addSkippedRings(snapshot.collector.skippedRings)
        addRings(snapshot.bots)
        addRules(snapshot)
        addLevels(snapshot.bots)
        addBotProcesses(snapshot.bots)
        let incomplete = snapshot.bots.flatMap { bot in
            bot.windows.map { window in
                let labels = [Label("bot", bot.name), Label("window", window.window.name)]
                return Sample(.unsigned(window.isComplete ? 0 : 1), labels)
            }
        }
        let help = "Whether the window lacks something that the bot recorded in it."
        addAll("ringside_window_incomplete", .gauge, help, incomplete)
        addAll("ringside_left_out_series", .gauge, leftOutHelp, [])
        addHidden(snapshot.bots)
        addRefused(snapshot.bots)
        addCoarse(snapshot.bots)
        if let process { addProcess(process) }
    }

    /// Adds the numbers of left-out series. Must be called last, when these series are known.
    mutating func addLeftOut(bots: [BotSnapshot]) {
        var counts: [String: UInt64] = [:]
        for series in leftOut { counts[series.bot, default: 0] += 1 }
        let samples = bots.map { Sample(.unsigned(counts[$0.name] ?? 0), [Label("bot", $0.name)]) }
        addAll("ringside_left_out_series", .gauge, leftOutHelp, samples)
    }

    /// Adds the numbers of skipped rings. Every reason has a sample from the beginning, so that the first skipped ring
    /// is a change.
    private mutating func addSkippedRings(_ rings: [SkippedRing]) {
        let counts = Dictionary(grouping: rings, by: \.reason).mapValues { UInt64($0.count) }
        addAll(
            "ringside_skipped_rings", .gauge,
            "Rings of the directory that are not read, by reason; /health names each, with its owner and what to do.",
            SkippedRing.Reason.allCases.map { (.unsigned(counts[$0] ?? 0), [Label("reason", $0.rawValue)]) })
    }

    /// Adds the numbers of hidden series. A bot whose series are all shown has no sample.
    private mutating func addHidden(_ bots: [BotSnapshot]) {
        let samples = bots.filter { !$0.hiddenSeries.isEmpty }.flatMap { bot in
            HidingReason.allCases.map {
                Sample(
                    .unsigned(bot.hiddenSeries[$0] ?? 0), [Label("bot", bot.name), Label("reason", $0.rawValue)])
            }
        }
        let help =
            "Series that the configuration's rules leave out of every export, by reason: a rule drops them, none of the rules that keep keeps them, or the unit of their new name does not fit."
        addAll("ringside_hidden_series", .gauge, help, samples)
    }

    private mutating func addRefused(_ bots: [BotSnapshot]) {
        let samples = bots.flatMap { bot in
            bot.refusedSeries.sorted { $0.key < $1.key }.map {
                Sample(.unsigned($0.value), [Label("bot", bot.name), Label("metric", $0.key)])
            }
        }
        let help = "Series that are shown in the other of their metric, since the bot has more than max_series."
        addAll("ringside_refused_series_total", .counter, help, samples)
    }

    private mutating func addCoarse(_ bots: [BotSnapshot]) {
        let samples = bots.flatMap { bot in
            bot.coarseValues.sorted { $0.key < $1.key }.map {
                Sample(.unsigned($0.value), [Label("bot", bot.name), Label("metric", $0.key)])
            }
        }
        let help =
            "Values of histograms beyond 2^-64 to 2^64, which are counted by powers of two: quantiles among them are off by up to a third."
        addAll("ringside_coarse_values_total", .counter, help, samples)
    }

    private var leftOutHelp: String {
        "Registered series that are not exported, since their name or labels are invalid or stand for another series, or since the unit of their new name does not fit."
    }

    private mutating func addBuild(_ collector: CollectorSnapshot) {
        let version = [Sample(.unsigned(1), [Label("version", collector.version)])]
        addAll("ringside_build_info", .gauge, "The collector's version; the value is always 1.", version)
        let cycle = ExportedSeries.Value.quantiles(collector.drainCycle.quantiles, total: collector.drainCycle)
        add(
            "ringside_drain_cycle_seconds", .summary, "Time that a drain of all rings took.", cycle,
            ExportedLabels([]), unit: .seconds)
        addAll(
            "ringside_drain_cycle_worst_seconds", .gauge, "The longest drain of all rings since the collector began.",
            collector.drainCycle.extremes.map { [(.real($0.maximum), [])] } ?? [], unit: .seconds)
        addAll(
            "ringside_drain_cycle_worst_recent_seconds", .gauge, "The longest drain of all rings of the last minute.",
            collector.worstRecentCycle.map { [(.real($0), [])] } ?? [], unit: .seconds)
        addAll(
            "ringside_drain_record_cost_seconds", .gauge,
            "Time that the reading of one record took over the last minute, without the turning of windows.",
            collector.recordCost.map { [(.real($0), [])] } ?? [], unit: .seconds)
    }

    private mutating func addConfiguration(_ status: ConfigurationStatus?) {
        addAll(
            "ringside_config_last_reload_successful", .gauge,
            "Whether the configuration was good when it was last read; one that is not changes nothing.",
            status.map { [(.unsigned($0.isLastReloadSuccessful ? 1 : 0), [])] } ?? [])
        addAll(
            "ringside_config_last_reload_success_timestamp_seconds", .gauge,
            "When the configuration in force was read, since the Unix epoch.",
            status.map { [(.real(Double($0.lastSuccessUnixNanoseconds) * 1e-9), [])] } ?? [], unit: .seconds)
    }

    private mutating func addLimits(_ limits: LimitStatus?) {
        let figures: [(String, String, UInt64?)] = [
            (
                "ringside_bots", "Bots that the collector has, those that are gone and not forgotten included.",
                limits.map { UInt64(clamping: $0.bots) }
            ),
            ("ringside_max_bots", "The most bots that there may be.", limits.map { UInt64(clamping: $0.maximumBots) }),
            (
                "ringside_refused_bots", "Bots whose rings are not read, since there are as many as max_bots allows.",
                limits.map { UInt64(clamping: $0.refusedBots.count) }
            ),
            ("ringside_series", "Series of all bots.", limits.map { UInt64(clamping: $0.series) }),
            (
                "ringside_max_series", "The most series of all bots that there may be.",
                limits.map { UInt64(clamping: $0.maximumSeries) }
            ),
        ]
        for (name, help, value) in figures { addAll(name, .gauge, help, value.map { [(.unsigned($0), [])] } ?? []) }
        addAll(
            "ringside_refused_registrations_total", .counter,
            "Metrics that have no series, since there are as many as max_series_total allows.",
            (limits?.refusedSeries ?? [:]).sorted { $0.key < $1.key }.map {
                (.unsigned($0.value), [Label("bot", $0.key)])
            })
        addAll(
            "ringside_forgotten_bots_total", .counter, "Bots that were forgotten since the collector began.",
            limits.map { [(.unsigned($0.forgottenBots), [])] } ?? [])
    }

    private mutating func addState(_ collector: CollectorSnapshot) {
        addAll(
            "ringside_state_not_saved", .gauge,
            "Whether a restart would forget what is counted now; /health says why, as checkpoint_failure.",
            [(.unsigned(collector.checkpointFailure == nil ? 0 : 1), [])])
        addAll(
            "ringside_state_set_aside", .gauge,
            "Whether the start could not take all of the state that it found; /health says where that lies.",
            [(.unsigned(collector.stateSetAside == nil ? 0 : 1), [])])
    }

    private mutating func addServices(_ services: [ServiceStatus]) {
        let kinds = [
            ("history", "Whether the history is recorded; where it is not, /health says why."),
            ("json", "Whether the JSON dumps are written; where they are not, the log says why."),
        ]
        for (name, help) in kinds {
            let service = services.first { $0.name == name }
            addAll(
                "ringside_\(name)_up", .gauge, help, service.map { [(.unsigned($0.failure == nil ? 1 : 0), [])] } ?? [])
        }
        let outcomes = services.first { $0.name == "history" }?.outcomes ?? [:]
        addAll(
            "ringside_history_questions_total", .counter,
            "Questions to /stats/history by how they ended; all but answered ones met a bound, or nobody waited for them.",
            outcomes.sorted { $0.key < $1.key }.map { (.unsigned($0.value), [Label("outcome", $0.key)]) })
    }

    private mutating func addOverhead(_ bots: [BotSnapshot]) {
        func samples(_ ratio: (RingSnapshot) -> Double?) -> [Sample] {
            bots.compactMap { bot in
                let ratios = bot.rings.compactMap(ratio)
                return ratios.isEmpty ? nil : (.real(ratios.reduce(0, +)), [Label("bot", bot.name)])
            }
        }
        addAll(
            "ringside_emit_overhead_records_ratio", .gauge,
            "Time that records cost the bot at most over the last whole second, as a share of one core: calls of histograms, and changes of gauges that record each, by their calibrated cost.",
            samples(\.recordOverheadRatio), unit: .ratio)
        addAll(
            "ringside_emit_overhead_counters_ratio", .gauge,
            "The same of counters without a unit, each one by which they rose taken for a call. Counters with a unit, up-down counters and plain gauges are in neither: their cells do not tell how often they are called.",
            samples(\.counterOverheadRatio), unit: .ratio)
    }

    private mutating func addRings(_ bots: [BotSnapshot]) {
        let rings = bots.flatMap { bot in bot.rings.map { ($0, exportedLabels(bot: bot.name, lane: $0.lane)) } }
        addAll(
            "ringside_last_record_age_seconds", .gauge, "Time since the ring's last record.",
            rings.compactMap { ring, labels in ring.lastRecordAge.map { (.real($0), labels) } }, unit: .seconds)
        addAll(
            "ringside_lane_up", .gauge, "Whether the lane's producer is attached and alive.",
            rings.filter { $0.0.presence != .unknown }.map { ring, labels in (.unsigned(ring.isUp ? 1 : 0), labels) })
        addAll(
            "ringside_lane_last_activity_seconds", .gauge,
            "Time since the lane's producer wrote a record or changed a counter or gauge.",
            rings.compactMap { ring, labels in ring.activityAge.map { (.real($0), labels) } }, unit: .seconds)
        addAll(
            "ringside_longest_read_gap_seconds", .gauge, "Longest time between two reads of the ring.",
            rings.compactMap { ring, labels in ring.longestReadGap.map { (.real($0), labels) } }, unit: .seconds)
        addAll(
            "ringside_refused_metrics", .gauge,
            "Registrations that the ring refused its bot, for want of room or a bad name.",
            rings.compactMap { ring, labels in ring.refusedMetrics.map { (.unsigned($0), labels) } })
        addAll(
            "ringside_conflicting_metrics", .gauge,
            "1 for each metric of the ring that is in no series, since another lane has its name with another kind or unit.",
            rings.flatMap { ring, labels in
                ring.conflictingMetrics.map { (.unsigned(1), labels + [Label("metric", $0)]) }
            })
        addAll(
            "ringside_records_total", .counter, "Records drained from the ring.",
            rings.map { (.unsigned($0.drained), $1) })
        addAll(
            "ringside_lost_records_total", .counter, "Records that are in no total, by reason.",
            rings.flatMap { ring, labels in
                LossReason.allCases.map {
                    (.unsigned(ring.lost[$0] ?? 0), labels + [Label("reason", $0.rawValue)])
                }
            })
        addAll(
            "ringside_misdated_records_total", .counter, "Records that are in the totals but in no window.",
            rings.flatMap { ring, labels in
                [("late", ring.late), ("future", ring.future)].map {
                    (.unsigned($1), labels + [Label("reason", $0)])
                }
            })
        addAll(
            "ringside_backlog_records", .gauge, "Records written and not yet drained.",
            rings.map { (.unsigned($0.backlog), $1) })
        addAll(
            "ringside_backlog_records_max", .gauge,
            "Records that ever waited at once in the ring since the collector opened it.",
            rings.compactMap { ring, labels in ring.backlogMaximum.map { (.unsigned($0), labels) } })
        addAll(
            "ringside_drain_lag_seconds", .gauge, "From the time of the ring's record drained last to its drain.",
            rings.compactMap { ring, labels in ring.lag.map { (.real($0), labels) } }, unit: .seconds)
        addAll(
            "ringside_drain_lag_worst_recent_seconds", .gauge,
            "The longest time from a record's own to its drain, over the last minute.",
            rings.compactMap { ring, labels in ring.worstRecentLag.map { (.real($0), labels) } }, unit: .seconds)
        addAll(
            "ringside_drain_wait_seconds", .gauge,
            "How long records waited in a ring for their drain, the longest of all rings and of the last 6 to 12 seconds.",
            [(.real(bots.worstRecentWait), [])], unit: .seconds)
    }

    private mutating func addProcess(_ process: ProcessStatistics) {
        let facts: [(String, MetricFamily.Kind, MetricUnit, String, Number)] = [
            ("cpu_seconds_total", .counter, .seconds, "User and system CPU time spent.", .real(process.cpuSeconds)),
            ("open_fds", .gauge, .none, "Open file descriptors.", .unsigned(process.openDescriptors)),
            ("max_fds", .gauge, .none, "Limit of open file descriptors.", .unsigned(process.maximumDescriptors)),
            ("virtual_memory_bytes", .gauge, .bytes, "Virtual memory.", .unsigned(process.virtualBytes)),
            ("resident_memory_bytes", .gauge, .bytes, "Resident memory.", .unsigned(process.residentBytes)),
            ("start_time_seconds", .gauge, .seconds, "Start, since the Unix epoch.", .real(process.startSeconds)),
            ("threads", .gauge, .none, "Threads.", .unsigned(process.threads)),
        ]
        for (name, kind, unit, help, value) in facts {
            addAll("process_\(name)", kind, help, [(value, [])], unit: unit)
        }
    }

    mutating func addAll(
        _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ samples: [Sample], unit: MetricUnit = .none
    ) {
        guard let index = table.family(name, kind, help: help, unit: unit) else { return }
        for sample in samples { table.add(.number(sample.value), ExportedLabels(sample.labels), to: index) }
    }
}

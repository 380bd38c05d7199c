internal import JSON
package import Series

/// The body of `/health`: whether the collector works, and the state of each bot.
package enum HealthJSON {
    package static let contentType = "application/json"

    /// Returns the health of a collector that serves, which has just made a snapshot. `status` is `ok`, or `degraded`
    /// if a part of the collector beside the drain fails. Then `reasons` names the parts.
    package static func render(_ snapshot: Snapshot) -> [UInt8] {
        let problems = snapshot.problems
        return render(
            status: problems.isEmpty ? "ok" : "degraded", problems: problems, version: snapshot.collector.version,
            uptimeSeconds: snapshot.collector.uptimeSeconds,
            bots: snapshot.bots, alerts: snapshot.alerts, exports: snapshot.collector.exports,
            checkpointFailure: snapshot.collector.checkpointFailure, stateSetAside: snapshot.collector.stateSetAside,
            limits: snapshot.collector.limits, services: snapshot.collector.services,
            skippedRings: snapshot.collector.skippedRings, clock: snapshot.collector.clock)
    }

    /// Returns the health of a collector that makes no snapshot. `status` is `failed`, and nothing is known of the
    /// bots.
    package static func renderFailure(version: String, uptimeSeconds: Double) -> [UInt8] {
        render(status: "failed", version: version, uptimeSeconds: uptimeSeconds, bots: [])
    }

    private static func render(
        status: String, problems: [String] = [], version: String, uptimeSeconds: Double, bots: [BotSnapshot],
        alerts: [AlertSnapshot] = [],
        exports: [ExportStatus] = [],
        checkpointFailure: String? = nil, stateSetAside: StateSetAsideStatus? = nil, limits: LimitStatus? = nil,
        services: [ServiceStatus] = [], skippedRings: [SkippedRing] = [], clock: ClockSnapshot? = nil
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.key("status")
            $0.string(status)
            if !problems.isEmpty {
                $0.key("reasons")
                $0.array { for problem in problems { $0.string(problem) } }
            }
            $0.key("version")
            $0.string(version)
            $0.key("uptime")
            $0.number(uptimeSeconds)
            $0.key("summary")
            $0.summary(of: bots, alerts: alerts)
            $0.key("bots")
            $0.array { for bot in bots { $0.health(of: bot) } }
            $0.key("exports")
            $0.array {
                for export in exports { $0.health(of: export) }
                for service in services where service.name != "history" { $0.export(service) }
            }
            if let history = services.first(where: { $0.name == "history" }) {
                $0.key("history")
                $0.history(history)
            }
            if let clock { $0.clock(clock) }
            // Present only if a restart would lose the present counts.
            if let checkpointFailure {
                $0.key("checkpoint_failure")
                $0.string(checkpointFailure)
            }
            if !skippedRings.isEmpty {
                $0.key("unread_rings")
                $0.skipped(skippedRings)
            }
            if let limits, !limits.refusedBots.isEmpty || !limits.refusedSeries.isEmpty {
                $0.key("refused")
                $0.refused(limits)
            }
            if let stateSetAside {
                $0.key("state_set_aside")
                $0.setAside(stateSetAside)
            }
        }
        return json.bytes
    }
}

extension HealthJSON {
    /// Answers a question about one bot or lane with its lanes, and a question about the collector with the health of
    /// the whole.
    ///
    /// - Returns: The body, and its HTTP status.
    package static func render(_ question: HealthRequest, _ snapshot: Snapshot) -> (status: UInt32, body: [UInt8]) {
        let answer = question.answer(snapshot)
        if case .collector = question { return (answer.status, render(snapshot)) }
        var json = JSONWriter()
        json.object {
            $0.key("status")
            $0.string(answer.status == 200 ? "ok" : answer.status == 404 ? "unknown" : "failed")
            $0.key("message")
            $0.string(answer.sentence)
            $0.key("lanes")
            $0.array {
                for (bot, lane) in question.lanes(snapshot) { $0.health(of: lane, bot.condition(of: lane)) }
            }
        }
        return (answer.status, json.bytes)
    }
}

extension JSONWriter {
    /// Writes the number of bots in each state, and the number of firing alerts by severity.
    fileprivate mutating func summary(of bots: [BotSnapshot], alerts: [AlertSnapshot]) {
        let states = Dictionary(grouping: bots, by: \.condition).mapValues(\.count)
        let severities = Dictionary(grouping: alerts.filter { $0.state == .firing }, by: \.severity).mapValues(\.count)
        object {
            $0.key("bots")
            $0.object {
                for (state, count) in states.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    $0.key(state.rawValue)
                    $0.integer(UInt64(count))
                }
            }
            $0.key("alerts_firing")
            $0.object {
                for (severity, count) in severities.sorted(by: { $0.key < $1.key }) {
                    $0.key(severity)
                    $0.integer(UInt64(count))
                }
            }
        }
    }

    fileprivate mutating func health(of lane: RingSnapshot, _ condition: BotCondition) {
        object {
            $0.key("lane")
            $0.string(lane.lane)
            $0.key("state")
            $0.string(condition.rawValue)
            $0.key("last_record_age")
            $0.number(lane.lastRecordAge)
            $0.key("last_activity_age")
            $0.number(lane.activityAge)
            $0.key("pid")
            $0.integer(Int64(lane.pid))
        }
    }

    /// Writes the refused bots and series, and the limits that refused them. A long list is cut.
    fileprivate mutating func refused(_ limits: LimitStatus) {
        object {
            $0.key("max_bots")
            $0.integer(limits.maximumBots)
            $0.key("bots")
            $0.array { for bot in limits.refusedBots.prefix(100) { $0.string(bot) } }
            $0.key("max_series_total")
            $0.integer(limits.maximumSeries)
            $0.key("series")
            $0.object { series in
                for (bot, count) in limits.refusedSeries.sorted(by: { $0.key < $1.key }).prefix(100) {
                    series.key(bot)
                    series.integer(count)
                }
            }
            guard !limits.largestBots.isEmpty else { return }
            $0.key("largest")
            $0.object { largest in
                for size in limits.largestBots {
                    largest.key(size.bot)
                    largest.integer(size.series)
                }
            }
        }
    }

    /// Writes the state that was set aside. 0 entries mean all of it.
    fileprivate mutating func setAside(_ state: StateSetAsideStatus) {
        object {
            $0.key("file")
            $0.string(state.file)
            $0.key("entries")
            $0.integer(UInt64(clamping: state.entryCount))
            $0.key("reason")
            $0.string(state.reason)
        }
    }

    fileprivate mutating func health(of export: ExportStatus) {
        object {
            $0.key("name")
            $0.string(export.name)
            $0.key("ok")
            $0.bool(export.isOK)
            $0.key("queue")
            $0.integer(export.queuedEntries)
        }
    }

    /// Writes a service as an export. It has no queue: a snapshot that it misses is lost.
    fileprivate mutating func export(_ service: ServiceStatus) {
        object {
            $0.key("name")
            $0.string(service.name)
            $0.key("ok")
            $0.bool(service.failure == nil)
            $0.key("queue")
            $0.integer(0)
        }
    }

    fileprivate mutating func history(_ service: ServiceStatus) {
        object {
            $0.key("ok")
            $0.bool(service.failure == nil)
            $0.key("failure")
            if let failure = service.failure { $0.string(failure) } else { $0.null() }
        }
    }

    /// Writes the first hundred rings that are not read.
    mutating func skipped(_ rings: [SkippedRing]) {
        array { for ring in rings.prefix(100) { $0.skipped(ring) } }
    }

    private mutating func skipped(_ ring: SkippedRing) {
        object {
            $0.key("ring")
            $0.string(ring.ring)
            $0.key("cause")
            $0.string(ring.reason.rawValue)
            $0.key("owner")
            if let owner = ring.owner { $0.integer(UInt64(owner)) } else { $0.null() }
            $0.key("reason")
            $0.string(ring.detail)
        }
    }

    fileprivate mutating func health(of bot: BotSnapshot) {
        object {
            $0.key("bot")
            $0.string(bot.name)
            $0.key("up")
            $0.bool(bot.isUp)
            $0.key("state")
            $0.string(bot.condition.rawValue)
            $0.key("last_record_age")
            $0.number(bot.rings.filter(\.showsActivity).compactMap(\.lastRecordAge).min())
            $0.key("lost")
            $0.integer(bot.rings.reduce(0) { $0 &+ $1.lostRecords })
            $0.key("before_attach")
            $0.integer(bot.rings.reduce(0) { $0 &+ ($1.lost[.beforeAttach] ?? 0) })
            if !bot.hiddenSeries.isEmpty {
                $0.key("hidden_series")
                $0.hidden(bot.hiddenSeries)
            }
            if !bot.unconvertedSeries.isEmpty {
                $0.key("unconverted_series")
                $0.array { for series in bot.unconvertedSeries.prefix(100) { $0.unconverted(series) } }
            }
        }
    }

    private mutating func hidden(_ series: [HidingReason: UInt64]) {
        object {
            for reason in HidingReason.allCases {
                $0.key(reason.rawValue)
                $0.integer(series[reason] ?? 0)
            }
        }
    }

    private mutating func unconverted(_ series: UnconvertedSeries) {
        object {
            $0.key("metric")
            $0.string(series.key.name)
            $0.key("labels")
            $0.labels(series.key.labels)
            $0.key("reason")
            $0.string(series.reason)
        }
    }
}

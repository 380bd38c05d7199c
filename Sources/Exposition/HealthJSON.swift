internal import JSON
package import Series

/// What `/health` answers: whether the collector works, and how each bot is.
package enum HealthJSON {
    package static let contentType = "application/json"

    /// The health of a collector that works: it has just made a snapshot.
    package static func render(_ snapshot: Snapshot) -> [UInt8] {
        render(
            status: "ok", version: snapshot.collector.version, uptimeSeconds: snapshot.collector.uptimeSeconds,
            bots: snapshot.bots, exports: snapshot.collector.exports,
            checkpointFailure: snapshot.collector.checkpointFailure, stateSetAside: snapshot.collector.stateSetAside,
            limits: snapshot.collector.limits, services: snapshot.collector.services,
            unreadRings: snapshot.collector.unreadRings, clock: snapshot.collector.clock)
    }

    /// The health of a collector that makes no snapshot: `status` says `failed`, and of the bots nothing is known.
    package static func renderFailure(version: String, uptimeSeconds: Double) -> [UInt8] {
        render(status: "failed", version: version, uptimeSeconds: uptimeSeconds, bots: [])
    }

    private static func render(
        status: String, version: String, uptimeSeconds: Double, bots: [BotSnapshot], exports: [ExportStatus] = [],
        checkpointFailure: String? = nil, stateSetAside: StateSetAsideStatus? = nil, limits: LimitStatus? = nil,
        services: [ServiceStatus] = [], unreadRings: [UnreadRing] = [], clock: ClockSnapshot? = nil
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.key("status")
            $0.string(status)
            $0.key("version")
            $0.string(version)
            $0.key("uptime")
            $0.number(uptimeSeconds)
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
            // Only where a restart would forget what is counted now.
            if let checkpointFailure {
                $0.key("checkpoint_failure")
                $0.string(checkpointFailure)
            }
            if !unreadRings.isEmpty {
                $0.key("unread_rings")
                $0.array { for ring in unreadRings { $0.unread(ring) } }
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

extension JSONWriter {
    /// What was refused, and by which bound; of very many bots some.
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
        }
    }

    /// Entries of 0 is a whole state.
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

    /// One that keeps nothing for later: what it misses is missed.
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

    fileprivate mutating func unread(_ ring: UnreadRing) {
        object {
            $0.key("ring")
            $0.string(ring.ring)
            $0.key("reason")
            $0.string(ring.reason)
        }
    }

    fileprivate mutating func health(of bot: BotSnapshot) {
        object {
            $0.key("bot")
            $0.string(bot.name)
            $0.key("up")
            $0.bool(bot.isUp)
            $0.key("last_record_age")
            $0.number(bot.rings.filter(\.showsActivity).compactMap(\.lastRecordAge).min())
            $0.key("lost")
            $0.integer(bot.rings.reduce(0) { $0 &+ $1.lost.values.reduce(0, &+) })
        }
    }
}

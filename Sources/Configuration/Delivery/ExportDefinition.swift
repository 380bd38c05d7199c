package import Rules
package import Series

/// One destination that is sent what a snapshot shows, again and again.
package struct ExportDefinition: Hashable, Sendable {
    /// In what form, with what only that form knows.
    package enum Kind: Hashable, Sendable {
        case influxDB(InfluxDBOptions)
    }

    package var destination: Destination
    package var kind: Kind
    /// Between two snapshots.
    package var intervalNanoseconds: Int64 = 10_000_000_000
    package var compresses = true
    package var route = ExportRoute()
    /// Said of every series: the host's name unless the file says otherwise, and what it adds.
    package var labels: [Label] = []

    package init(destination: Destination, kind: Kind) {
        self.destination = destination
        self.kind = kind
    }
}

/// Which series go to an export.
package struct ExportRoute: Hashable, Sendable {
    package var takeMetrics: [Glob] = [.all]
    package var leaveMetrics: [Glob] = []
    package var takeBots: [Glob] = [.all]
    package var leaveBots: [Glob] = []
    /// Whether the collector's own account goes too, of the bots that do.
    package var sendsCollector = true

    package init() {}

    package func takes(bot: String) -> Bool {
        takeBots.contains { $0.matches(bot) } && !leaveBots.contains { $0.matches(bot) }
    }

    package func takes(metric: String) -> Bool {
        takeMetrics.contains { $0.matches(metric) } && !leaveMetrics.contains { $0.matches(metric) }
    }

    /// What of a snapshot goes there.
    package func applied(to snapshot: Snapshot) -> Snapshot {
        guard self != ExportRoute() else { return snapshot }
        var part = snapshot
        part.bots = snapshot.bots.filter { takes(bot: $0.name) }
        for place in part.bots.indices { part.bots[place].metrics.removeAll { !takes(metric: $0.name) } }
        part.objectives.removeAll { !takes(bot: $0.bot) }
        part.alerts.removeAll { !takes(bot: $0.bot) }
        return part
    }
}

/// How InfluxDB wants to be written to.
package struct InfluxDBOptions: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        /// 1.x, and VictoriaMetrics: `/write?db=`.
        case database(String, retentionPolicy: String?)
        /// 2.x: `/api/v2/write?org=&bucket=`.
        case bucket(String, organization: String)
    }

    package var target: Target
    /// Lines of one request.
    package var batchLines = 5000

    package init(target: Target) { self.target = target }
}

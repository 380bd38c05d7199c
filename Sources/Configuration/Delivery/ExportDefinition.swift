package import Rules
package import Series

/// One destination that is sent what a snapshot shows, again and again.
package struct ExportDefinition: Hashable, Sendable {
    /// In what form, with what only that form knows.
    package enum Kind: Hashable, Sendable {
        case influxDB(InfluxDBOptions)
        case otlpMetrics(OTLPOptions)
        case otlpTraces(OTLPTraceOptions)
        case remoteWrite(RemoteWriteOptions)
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
    /// Labels that a series must have, with values that fit; the bot's own count as its series'.
    package var takeLabels: [LabelPattern] = []
    /// A series that has one of these, with a value that fits, is left.
    package var leaveLabels: [LabelPattern] = []
    /// Whether the collector's own account goes too, of the bots that do.
    package var sendsCollector = true

    package init() {}

    package func takes(bot: String) -> Bool {
        takeBots.contains { $0.matches(bot) } && !leaveBots.contains { $0.matches(bot) }
    }

    package func takes(metric: String) -> Bool {
        takeMetrics.contains { $0.matches(metric) } && !leaveMetrics.contains { $0.matches(metric) }
    }

    package func takes(labels: [Label], of bot: [Label]) -> Bool {
        func fits(_ pattern: LabelPattern) -> Bool {
            (labels.first { $0.name == pattern.name } ?? bot.first { $0.name == pattern.name })
                .map { pattern.value.matches($0.value) } ?? false
        }
        return takeLabels.allSatisfy(fits) && !leaveLabels.contains(where: fits)
    }

    /// What of a snapshot goes there.
    package func applied(to snapshot: Snapshot) -> Snapshot {
        guard self != ExportRoute() else { return snapshot }
        var part = snapshot
        part.bots = snapshot.bots.filter { takes(bot: $0.name) }
        for place in part.bots.indices {
            let labels = part.bots[place].labels
            part.bots[place].metrics.removeAll { !takes(metric: $0.name) || !takes(labels: $0.labels, of: labels) }
        }
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

/// A label by its name, with values that fit a pattern.
package struct LabelPattern: Hashable, Sendable {
    package var name: String
    package var value: Glob

    package init(_ name: String, _ value: Glob) {
        self.name = name
        self.value = value
    }
}

package import Rules
package import Series

/// A destination that receives snapshots at an interval.
package struct ExportDefinition: Hashable, Sendable {
    /// The format, with the options that only it has.
    package enum Kind: Hashable, Sendable {
        case influxDB(InfluxDBOptions)
        case otlpMetrics(OTLPOptions)
        case otlpTraces(OTLPTraceOptions)
        case remoteWrite(RemoteWriteOptions)
    }

    package var destination: Destination
    package var kind: Kind
    /// The time between two snapshots.
    package var intervalNanoseconds: Int64 = 10_000_000_000
    package var compresses = true
    package var route = ExportRoute()
    /// The labels that the file adds to every series. The encoders add the host's name if there is no label `host`
    /// among them.
    package var labels: [Label] = []

    package init(destination: Destination, kind: Kind) {
        self.destination = destination
        self.kind = kind
    }
}

/// Selects the series of an export.
package struct ExportRoute: Hashable, Sendable {
    package var takeMetrics: [Glob] = [.all]
    package var leaveMetrics: [Glob] = []
    package var takeBots: [Glob] = [.all]
    package var leaveBots: [Glob] = []
    /// Labels that a series must have, with matching values. Those of its bot count too.
    package var takeLabels: [LabelPattern] = []
    /// A series with one of these labels and a matching value is left out.
    package var leaveLabels: [LabelPattern] = []
    /// Whether the collector's own figures are exported too, for the selected bots.
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

    /// Returns the part of a snapshot that is exported.
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

/// The target and the batches of an export to InfluxDB.
package struct InfluxDBOptions: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        /// 1.x, and VictoriaMetrics: `/write?db=`.
        case database(String, retentionPolicy: String?)
        /// 2.x: `/api/v2/write?org=&bucket=`.
        case bucket(String, organization: String)
    }

    package var target: Target
    /// Lines per request.
    package var batchLines = 5000

    package init(target: Target) { self.target = target }
}

/// A label's name, and a pattern for its value.
package struct LabelPattern: Hashable, Sendable {
    package var name: String
    package var value: Glob

    package init(_ name: String, _ value: Glob) {
        self.name = name
        self.value = value
    }
}

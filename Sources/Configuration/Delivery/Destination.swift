package import Rules
package import Series

/// A server to which the collector sends: its address, its credentials, and the bounds of its queue.
package struct Destination: Hashable, Sendable {
    /// The name, unique among all destinations. It is a label's value in the exports, and the name of the queue.
    package var name: String
    /// An http or https URL.
    package var url: String
    package var authorization: Authorization = .none
    /// Headers of every request, in addition to those of the format.
    package var headers: [Header] = []
    /// A file of certificates (PEM) that are trusted in place of the system's.
    package var certificateAuthorityFile: String?
    package var connectTimeoutMilliseconds = 5000
    /// The time limit of a whole request, including the connection.
    package var requestTimeoutMilliseconds = 15_000
    package var queue = QueueBounds()
    /// The longest pause before a retry, unless the server asks for another.
    package var longestPauseNanoseconds: Int64 = 60_000_000_000

    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init(name: String, url: String) {
        self.name = name
        self.url = url
    }
}

/// The bounds of the queue for a destination that does not accept entries.
package struct QueueBounds: Hashable, Sendable {
    /// The size of the whole queue. Beyond it the oldest entries are dropped for new ones.
    package var maximumBytes = 64 << 20
    package var maximumAgeSeconds: Int64 = 86_400

    package init() {}
}

/// The credentials that a destination requires.
package enum Authorization: Hashable, Sendable {
    case none
    case basic(user: String, password: Secret)
    case bearer(Secret)
    /// `Authorization: Token …`, for InfluxDB 2.
    case token(Secret)
}

/// A secret that is never logged.
package enum Secret: Hashable, Sendable, CustomStringConvertible {
    case text(String)
    /// The path of a file, which is read again for each request, so that a new secret needs no reload. Surrounding
    /// blanks and line ends are ignored.
    case file(String)

    package var description: String {
        switch self {
        case .text: "(secret)"
        case .file(let path): "(secret in \(path))"
        }
    }
}

/// Selects the alerts for a destination.
package struct AlertSelection: Hashable, Sendable {
    package var alerts: [Glob] = [.all]
    package var severities: [Glob] = [.all]
    package var bots: [Glob] = [.all]

    package init() {}

    package func takes(alert: String, severity: String, bot: String) -> Bool {
        alerts.contains { $0.matches(alert) } && severities.contains { $0.matches(severity) }
            && bots.contains { $0.matches(bot) }
    }
}

/// An Alertmanager that receives the firing alerts.
package struct AlertmanagerDefinition: Hashable, Sendable {
    package var destination: Destination
    package var selection = AlertSelection()
    /// How often firing alerts are sent again.
    package var intervalSeconds: Int64 = 60
    /// Labels that are added to each alert that lacks a label of that name.
    package var labels: [Label] = []
    /// The link in an alert; nil is the collector's own address.
    package var generatorURL: String?
    /// Whether the alert `Watchdog` is sent, which fires as long as the collector evaluates its alerts.
    package var sendsWatchdog = true
    /// Whether objectives are sent that are violated or burn their budget. The default is true: an Alertmanager routes,
    /// groups and silences, and its users expect burn rates there.
    package var sendsObjectives = true

    package init(destination: Destination) { self.destination = destination }
}

/// A URL that is notified once when an alert begins to fire and once when it ends.
package struct WebhookDefinition: Hashable, Sendable {
    package var destination: Destination
    package var selection = AlertSelection()
    /// The body; nil is a JSON object with all fields.
    package var body: NoticeTemplate?
    package var contentType = "application/json"
    package var sendsResolved = true
    /// Whether objectives are sent that are violated or burn their budget. The default is false: a webhook is often a
    /// pager, and a body made for alerts may not fit.
    package var sendsObjectives = false
    /// How often a notice reports that the collector evaluates its alerts; nil is never.
    package var watchdogSeconds: Int64?

    package init(destination: Destination) { self.destination = destination }
}

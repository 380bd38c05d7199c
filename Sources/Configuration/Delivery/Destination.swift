package import Rules
package import Series

/// A server that the collector sends to: where it is, how it is asked, and what is kept for it while it is away.
package struct Destination: Hashable, Sendable {
    /// Unique among all destinations; a label's value in the exports, and what its queue is kept under.
    package var name: String
    /// Of http or https.
    package var url: String
    package var authorization: Authorization = .none
    /// Sent with every request beside those of the format.
    package var headers: [Header] = []
    /// A file of certificates (PEM) to trust in place of the system's.
    package var certificateAuthorityFile: String?
    package var connectTimeoutMilliseconds = 5000
    /// For the whole request, the connection included.
    package var requestTimeoutMilliseconds = 15_000
    package var queue = QueueBounds()
    /// The longest pause before an attempt is repeated, where the server names none.
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

/// How long and how much is kept for a destination that does not take it.
package struct QueueBounds: Hashable, Sendable {
    /// Of all that waits; the oldest is dropped for what comes.
    package var maximumBytes = 64 << 20
    package var maximumAgeSeconds: Int64 = 86_400

    package init() {}
}

/// What a destination wants to see of whoever sends to it.
package enum Authorization: Hashable, Sendable {
    case none
    case basic(user: String, password: Secret)
    case bearer(Secret)
    /// `Authorization: Token …`, as InfluxDB 2 has it.
    case token(Secret)
}

/// A word that is never logged.
package enum Secret: Hashable, Sendable, CustomStringConvertible {
    case text(String)
    /// Read anew for each request, so that a new one needs no reload; blanks and line ends around it are no part of it.
    case file(String)

    package var description: String {
        switch self {
        case .text: "(secret)"
        case .file(let path): "(secret in \(path))"
        }
    }
}

/// Which alerts a destination is told of.
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

/// One Alertmanager that is told of the alerts that fire.
package struct AlertmanagerDefinition: Hashable, Sendable {
    package var destination: Destination
    package var selection = AlertSelection()
    /// How often what fires is sent again.
    package var intervalSeconds: Int64 = 60
    /// Added to each alert that has no label of the name.
    package var labels: [Label] = []
    /// Where a reader of an alert is sent; nil is the collector's own address.
    package var generatorURL: String?

    package init(destination: Destination) { self.destination = destination }
}

/// One address that is told once when an alert begins to fire and once when it ends.
package struct WebhookDefinition: Hashable, Sendable {
    package var destination: Destination
    package var selection = AlertSelection()
    /// What is sent; nil is a JSON object of everything that is known.
    package var body: NoticeTemplate?
    package var contentType = "application/json"
    package var sendsResolved = true
    /// Whether objectives that are violated or burn their budget are told of too, as if they were alerts.
    package var sendsObjectives = false

    package init(destination: Destination) { self.destination = destination }
}

import Exposition
import Series
import Synchronization

/// What the collector serves, path by path.
package struct HTTPEndpoints: Sendable {
    private let version: String
    private let quantiles: [Double]
    private let readiness: HTTPReadiness
    private let configuration: ConfigurationFile?
    private let complaints: LeftOutComplaints
    private let history: HTTPQuestionDesk.Responder?
    private let started = SnapshotExchange.now()

    /// - Parameters:
    ///   - version: Shown by `/` and `/health`.
    ///   - quantiles: Those configured, which `/latest` names.
    ///   - readiness: Until it says ready, `/-/ready`, `/metrics` and `/latest` answer 503, so that no total is ever
    ///     seen to fall.
    ///   - configuration: What `POST /-/reload` reads again; without it there is no such path.
    ///   - history: What `/stats/history` answers; without it there is no such path.
    ///   - logger: Told of each series that `/metrics` has to leave out.
    package init(
        version: String, quantiles: [Double] = [0.5, 0.95, 0.99, 0.999], readiness: HTTPReadiness,
        configuration: ConfigurationFile? = nil, history: HTTPQuestionDesk.Responder? = nil, logger: Logger
    ) {
        self.history = history
        self.version = version
        self.quantiles = quantiles
        self.readiness = readiness
        self.configuration = configuration
        complaints = LeftOutComplaints(logger: logger)
    }

    /// The routes for a server.
    package var routes: [HTTPRoute] {
        let (quantiles, complaints) = (quantiles, complaints)
        return [
            .snapshot("/metrics", refusal: refusal) { snapshot in
                let families = Families(snapshot, process: ProcessStatistics.ofThisProcess())
                complaints.report(families.leftOut)
                return HTTPResponse(contentType: PrometheusText.contentType, body: PrometheusText.render(families))
            },
            .snapshot("/latest", refusal: refusal) {
                HTTPResponse(contentType: LatestJSON.contentType, body: LatestJSON.render($0, quantiles: quantiles))
            },
            .snapshot("/health", failure: failedHealth) {
                HTTPResponse(contentType: HealthJSON.contentType, body: HealthJSON.render($0))
            },
            .immediate("/-/healthy") { .text("The collector serves.") },
            .immediate("/-/ready") { refusal() ?? .text("The collector is ready.") },
            .immediate("/", serviceInformation),
        ] + (configuration.map { [reload($0)] } ?? [])
            + (history.map { [.question("/stats/history", HTTPQuestionDesk(), $0)] } ?? [])
    }

    /// Reads a file on the server's thread: some 100 us, and seldom.
    private func reload(_ configuration: ConfigurationFile) -> HTTPRoute {
        .post("/-/reload") {
            switch configuration.reload() {
            case .applied(let waiting):
                let rest = waiting.map { "\n\($0): changes with a restart alone; the old value stays in force" }
                    .joined()
                return .text("The configuration is in force.\(rest)")
            case .refused(let reason): return .text("The old configuration stays in force.\n\(reason)", status: 500)
            case .noFile: return .text("Nothing to reload: the collector was started without --config.", status: 409)
            }
        }
    }

    @Sendable private func refusal() -> HTTPResponse? {
        readiness.reasonToWait.map { .text($0, status: 503) }
    }

    @Sendable private func failedHealth() -> HTTPResponse {
        let uptime = Double(SnapshotExchange.now() - started) / 1e9
        let body = HealthJSON.renderFailure(version: version, uptimeSeconds: uptime)
        return HTTPResponse(status: 503, contentType: HealthJSON.contentType, body: body)
    }

    @Sendable private func serviceInformation() -> HTTPResponse {
        var json = JSONWriter()
        json.object {
            $0.key("name")
            $0.string("ringside")
            $0.key("version")
            $0.string(version)
            $0.key("endpoints")
            $0.array { for path in Self.paths + (history == nil ? [] : ["/stats/history"]) { $0.string(path) } }
        }
        return HTTPResponse(contentType: "application/json", body: json.bytes)
    }

    private static let paths = ["/metrics", "/latest", "/health", "/-/healthy", "/-/ready"]
}

/// Whether what the collector shows can be trusted yet. May be used from any thread.
package final class HTTPReadiness: Sendable {
    private let reason: Mutex<String?>

    /// - Parameter reason: One line that says what is waited for.
    package init(waitingFor reason: String = "the collector has not yet caught up with its rings") {
        self.reason = Mutex(reason)
    }

    /// What is waited for; nil when ready.
    package var reasonToWait: String? { reason.withLock { $0 } }

    /// Ready from here on.
    package func markReady() { reason.withLock { $0 = nil } }
}

/// Logs each series that is left out once, as long as it stays left out.
private final class LeftOutComplaints: Sendable {
    private let logger: Logger
    private let known = Mutex<Set<LeftOutSeries>>([])

    init(logger: Logger) {
        self.logger = logger
    }

    func report(_ leftOut: [LeftOutSeries]) {
        let fresh = known.withLock { known in
            defer { known = Set(leftOut) }
            return leftOut.filter { !known.contains($0) }
        }
        for series in fresh { logger.warn(series.description) }
    }
}

package import Drain
import Exposition
package import HTTP
internal import JSON
package import Platform
import Series
import Synchronization

/// The collector's HTTP endpoints, path by path.
package struct HTTPEndpoints: Sendable {
    private let version: String
    private let quantiles: [Double]
    private let readiness: Readiness
    private let configuration: ConfigurationFile?
    private let web: WebConfigurationFile?
    private let register: CollectorRegister?
    private let forgetRequests: ForgetRequests?
    private let alertRequests: AlertRequests?
    private let exchange: SnapshotExchange?
    private let families: FamilyCache
    private let history: HTTPAnswerer?
    private let questions: HTTPQuestionCounts
    private let started = SnapshotExchange.now()

    /// - Parameters:
    ///   - version: Shown by `/` and `/health`.
    ///   - quantiles: The configured quantiles, which `/latest` contains.
    ///   - readiness: Until it is ready, `/-/ready`, `/metrics` and `/latest` answer 503, so that no total ever appears
    ///     to fall.
    ///   - configuration: Read again by `POST /-/reload`; nil removes the path.
    ///   - web: Read again together with `configuration`.
    ///   - history: Answers `/stats/history`; nil removes the path.
    ///   - questions: Counts how requests to the history ended.
    ///   - register: Lists the collectors for `/sd`; nil removes the path.
    ///   - forgetRequests: Passes `POST /-/forget` to the drain; nil removes the path.
    ///   - alertRequests: Passes requests below `/alerts/` to the drain; nil removes the paths.
    ///   - exchange: Provides the snapshots of `/events`; nil removes the path.
    ///   - logger: Receives a warning about each series that `/metrics` has to leave out.
    package init(
        version: String, quantiles: [Double] = [0.5, 0.95, 0.99, 0.999], readiness: Readiness,
        configuration: ConfigurationFile? = nil, web: WebConfigurationFile? = nil, history: HTTPAnswerer? = nil,
        questions: HTTPQuestionCounts = HTTPQuestionCounts(), register: CollectorRegister? = nil,
        forgetRequests: ForgetRequests? = nil, alertRequests: AlertRequests? = nil,
        exchange: SnapshotExchange? = nil, logger: Logger
    ) {
        self.history = history
        self.questions = questions
        self.version = version
        self.quantiles = quantiles
        self.readiness = readiness
        self.configuration = configuration
        self.web = web
        self.register = register
        self.forgetRequests = forgetRequests
        self.alertRequests = alertRequests
        self.exchange = exchange
        families = FamilyCache(logger: logger)
    }

    /// Frees the cached parts of pages that were not requested for some time.
    ///
    /// - Parameter now: On the exchange's clock.
    /// - Returns: Whether something is still held.
    package func releaseUnused(now: Int64) -> Bool { families.releaseUnused(now: now) }

    /// Makes the routes for a server, with the threads that answer requests to the history and operators' requests.
    ///
    /// - Throws: ``SystemRefusal`` if a thread cannot be created.
    package func makeRoutes() throws(SystemRefusal) -> [HTTPRoute] {
        let routes = standardRoutes + (try historyRoutes()) + (try eventRoutes()) + (try operatorRoutes())
        let paths = routes.filter(\.answersGET).map(\.path)
        return routes + LivePage.routes { serviceInformation(paths) }
    }

    private func eventRoutes() throws(SystemRefusal) -> [HTTPRoute] {
        guard let exchange else { return [] }
        return [.events("/events", try EventFeed(exchange: exchange, quantiles: quantiles, refusal: refusal))]
    }

    private func operatorRoutes() throws(SystemRefusal) -> [HTTPRoute] {
        guard forgetRequests != nil || alertRequests != nil else { return [] }
        let workers = try HTTPWorkerPool()
        return (forgetRequests.map { [Self.forget($0, workers)] } ?? [])
            + (alertRequests.map { AlertEndpoints(requests: $0, workers: workers).routes } ?? [])
    }

    private func historyRoutes() throws(SystemRefusal) -> [HTTPRoute] {
        guard let history else { return [] }
        return [.streamed("/stats/history", try HTTPWorkerPool(workers: 4, counts: questions), history)]
    }

    private var standardRoutes: [HTTPRoute] {
        let (quantiles, families, configuration) = (quantiles, families, configuration)
        return [
            .exposition("/metrics", refusal: refusal) { published, format in
                let options = configuration?.current.configuration.nativeHistograms ?? .standard
                return HTTPResponse(
                    contentType: format.contentType,
                    body: families.page(of: published, as: format, histograms: options))
            },
            .snapshot("/latest", refusal: refusal) {
                HTTPResponse(contentType: LatestJSON.contentType, body: LatestJSON.render($0, quantiles: quantiles))
            },
            .snapshot("/health", failure: failedHealth) { snapshot, arguments in
                guard let question = HealthRequest(arguments) else { return .text(HealthRequest.usage, status: 400) }
                let (status, body) = HealthJSON.render(question, snapshot)
                return HTTPResponse(status: status, contentType: HealthJSON.contentType, body: body)
            },
            .snapshot("/-/healthy", plain: { .text("The collector serves.") }, failure: failedHealth) {
                snapshot, arguments in
                guard let question = HealthRequest(arguments) else { return .text(HealthRequest.usage, status: 400) }
                let answer = question.answer(snapshot)
                return .text(answer.sentence, status: answer.status)
            },
            .immediate("/-/ready") { refusal() ?? .text("The collector is ready.") },
        ] + (configuration.map { [reload($0)] } ?? [])
            + (register.map { [.immediateWithHost("/sd", Self.serviceDiscovery($0))] } ?? [])
    }

    /// Returns the path that reads the configuration files again. It does so on the server's thread, which takes some
    /// 100 us and happens rarely.
    private func reload(_ configuration: ConfigurationFile) -> HTTPRoute {
        let web = web
        return .post("/-/reload") {
            let outcomes = [
                ("configuration", configuration.reload()), ("web configuration", web?.reload() ?? .noFile),
            ]
            let isRefused = outcomes.contains { if case .refused = $1 { true } else { false } }
            let read = outcomes.filter { $1 != .noFile }
            guard !read.isEmpty else {
                return .text("Nothing to reload: the collector was started without --config.", status: 409)
            }
            return .text(read.map { Self.sentence($0, $1) }.joined(separator: "\n"), status: isRefused ? 500 : 200)
        }
    }

    /// Returns the path by which the drain forgets the bot that the argument `bot` names.
    private static func forget(_ requests: ForgetRequests, _ workers: HTTPWorkerPool) -> HTTPRoute {
        .blockingPost("/-/forget", workers) { arguments in
            guard arguments.count == 1, let (name, bot) = arguments.first, name == "bot", !bot.isEmpty else {
                return .text("Expected one argument: POST /-/forget?bot=NAME", status: 400)
            }
            switch requests.ask(bot) {
            case .forgotten: return .text("The bot \(bot) is forgotten; its history is kept.")
            case .unknown: return .text("There is no bot \(bot).", status: 404)
            case .isRunning(let pid):
                return .text(
                    "The bot \(bot) runs (pid \(pid)) and is not forgotten; end it first.", status: 409)
            case nil: return .text("The drain did not answer in time; nothing was forgotten. Try again.", status: 503)
            }
        }
    }

    private static func sentence(_ what: String, _ outcome: ConfigurationFile.Outcome) -> String {
        switch outcome {
        case .applied(let waiting):
            "The \(what) is in force."
                + waiting.map { "\n\($0): changes only with a restart; the old value stays in force" }.joined()
        case .refused(let reason): "The old \(what) stays in force.\n\(reason)"
        case .noFile: "There is no \(what) to reload."
        }
    }

    private static func serviceDiscovery(_ register: CollectorRegister) -> @Sendable (String?) -> HTTPResponse {
        { HTTPResponse(contentType: "application/json", body: register.targets(askedHost: $0)) }
    }

    @Sendable private func refusal() -> HTTPResponse? {
        readiness.reasonToWait.map { .text($0, status: 503) }
    }

    @Sendable private func failedHealth() -> HTTPResponse {
        let uptime = Double(SnapshotExchange.now() - started) / 1e9
        let body = HealthJSON.renderFailure(version: version, uptimeSeconds: uptime)
        return HTTPResponse(status: 503, contentType: HealthJSON.contentType, body: body)
    }

    private func serviceInformation(_ paths: [String]) -> HTTPResponse {
        var json = JSONWriter()
        json.object {
            $0.key("name")
            $0.string("ringside")
            $0.key("version")
            $0.string(version)
            $0.key("endpoints")
            $0.array { for path in paths { $0.string(path) } }
        }
        return HTTPResponse(contentType: "application/json", body: json.bytes)
    }
}

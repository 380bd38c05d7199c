package import Drain
import Exposition
package import HTTP
internal import JSON
package import Platform
import Series
import Synchronization

/// What the collector serves, path by path.
package struct HTTPEndpoints: Sendable {
    private let version: String
    private let quantiles: [Double]
    private let readiness: Readiness
    private let configuration: ConfigurationFile?
    private let web: WebAccess?
    private let register: CollectorRegister?
    private let forgetRequests: ForgetRequests?
    private let families: FamilyCache
    private let history: HTTPAnswerer?
    private let questions: HTTPQuestionCounts
    private let started = SnapshotExchange.now()

    /// - Parameters:
    ///   - version: Shown by `/` and `/health`.
    ///   - quantiles: Those configured, which `/latest` names.
    ///   - readiness: Until it says ready, `/-/ready`, `/metrics` and `/latest` answer 503, so that no total is ever
    ///     seen to fall.
    ///   - configuration: What `POST /-/reload` reads again; without it there is no such path.
    ///   - web: What it reads again beside that.
    ///   - history: What `/stats/history` answers; without it there is no such path.
    ///   - questions: Where what becomes of its questions is counted.
    ///   - register: Whom `/sd` lists; without it there is no such path.
    ///   - forgetRequests: Where `POST /-/forget` has bots forgotten; without it there is no such path.
    ///   - logger: Told of each series that `/metrics` has to leave out.
    package init(
        version: String, quantiles: [Double] = [0.5, 0.95, 0.99, 0.999], readiness: Readiness,
        configuration: ConfigurationFile? = nil, web: WebAccess? = nil, history: HTTPAnswerer? = nil,
        questions: HTTPQuestionCounts = HTTPQuestionCounts(), register: CollectorRegister? = nil,
        forgetRequests: ForgetRequests? = nil,
        logger: Logger
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
        families = FamilyCache(logger: logger)
    }

    /// The routes for a server.
    ///
    /// - Throws: ``SystemRefusal`` where there is no thread for the questions of the history.
    package var routes: [HTTPRoute] {
        get throws(SystemRefusal) { standardRoutes + (try historyRoutes) + (try forgetRoutes) }
    }

    private var forgetRoutes: [HTTPRoute] {
        get throws(SystemRefusal) {
            guard let forgetRequests else { return [] }
            return [try Self.forget(forgetRequests)]
        }
    }

    private var historyRoutes: [HTTPRoute] {
        get throws(SystemRefusal) {
            guard let history else { return [] }
            return [.answered("/stats/history", try HTTPQuestionDesk(workers: 4, counts: questions), history)]
        }
    }

    private var standardRoutes: [HTTPRoute] {
        let (quantiles, families, configuration) = (quantiles, families, configuration)
        return [
            .exposition("/metrics", refusal: refusal) { published, format in
                let options = configuration?.current.configuration.nativeHistograms ?? .standard
                return HTTPResponse(
                    contentType: format.contentType,
                    body: format.render(families.make(of: published), histograms: options))
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
            + (register.map { [.addressed("/sd", Self.serviceDiscovery($0))] } ?? [])
    }

    /// Reads files on the server's thread: some 100 us, and seldom.
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

    /// Has the drain forget the bot that the argument `bot` names.
    private static func forget(_ desk: ForgetRequests) throws(SystemRefusal) -> HTTPRoute {
        .task("/-/forget", try HTTPQuestionDesk()) { arguments in
            guard arguments.count == 1, let (name, bot) = arguments.first, name == "bot", !bot.isEmpty else {
                return .text("Expected one argument: POST /-/forget?bot=NAME", status: 400)
            }
            switch desk.ask(toForget: bot) {
            case .forgotten: return .text("The bot \(bot) is forgotten; the history keeps what it has of it.")
            case .unknown: return .text("There is no bot \(bot).", status: 404)
            case .isRunning(let pid):
                return .text(
                    "The bot \(bot) runs (pid \(pid)) and is not forgotten; end it first.", status: 409)
            case .late: return .text("The drain did not answer in time; nothing was forgotten. Try again.", status: 503)
            }
        }
    }

    private static func sentence(_ what: String, _ outcome: ConfigurationFile.Outcome) -> String {
        switch outcome {
        case .applied(let waiting):
            "The \(what) is in force."
                + waiting.map { "\n\($0): changes with a restart alone; the old value stays in force" }.joined()
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

    @Sendable private func serviceInformation() -> HTTPResponse {
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

    private var paths: [String] {
        ["/metrics", "/latest", "/health", "/-/healthy", "/-/ready"] + (register == nil ? [] : ["/sd"])
            + (history == nil ? [] : ["/stats/history"])
    }
}

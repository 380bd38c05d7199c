internal import Drain
internal import Configuration
internal import HTTP
internal import Platform
internal import Rules
internal import Series
internal import Spelling

/// The paths by which an operator resolves and silences alerts. Each hands its order to the drain and waits for the
/// answer.
struct AlertEndpoints: Sendable {
    let requests: AlertRequests
    let workers: HTTPWorkerPool

    var routes: [HTTPRoute] {
        [
            route("/alerts/resolve") { arguments throws(AlertArguments.Problem) in try arguments.resolution },
            route("/alerts/silence") { arguments throws(AlertArguments.Problem) in try arguments.silence },
            route("/alerts/unsilence") { arguments throws(AlertArguments.Problem) in try arguments.end },
        ]
    }

    private func route(
        _ path: String, _ read: @escaping @Sendable (AlertArguments) throws(AlertArguments.Problem) -> AlertCommand
    ) -> HTTPRoute {
        let requests = requests
        return .blockingPost(path, workers) { arguments in
            do throws(AlertArguments.Problem) {
                let order = try read(AlertArguments(path: path, arguments))
                return Self.response(to: order, requests.ask(order))
            } catch {
                return .text(error.description, status: 400)
            }
        }
    }

    private static func response(to order: AlertCommand, _ answer: AlertAnswer?) -> HTTPResponse {
        switch answer {
        case nil: .text("The drain did not answer in time; nothing was changed. Try again.", status: 503)
        case .resolved:
            .text("The alert \(order.subject) is resolved. It fires again only after its condition has ceased to hold.")
        case .unknown(let ids):
            .text(ended("There is no alert \(order.subject)\(nearest(order.subject, ids))"), status: 404)
        case .doesNotFire(let state):
            .text(
                "The alert \(order.subject) is not firing; it is \(state.rawValue); nothing was changed.", status: 409)
        case .silenced(let silence, let alerts, let names):
            .text(sentence(silence, alerts: alerts, names: names))
        case .full:
            .text("\(SilenceBook.limit) silences hold, which is the limit; end one first.", status: 409)
        case .unsilenced(let silence):
            .text("Silence \(silence.number) of \(silence.alert)/\(silence.bot) is ended.")
        case .noSilence(let numbers):
            .text("There is no silence \(order.subject)\(list("silences", numbers.map { "\($0)" })).", status: 404)
        }
    }

    private static func sentence(_ silence: SilenceSnapshot, alerts: Int, names: [String]) -> String {
        let end = rfc3339(unixNanoseconds: silence.untilUnixNanoseconds)
        let begun = "Silence \(silence.number) of \(silence.alert)/\(silence.bot) holds until \(end)"
        guard alerts == 0 else { return "\(begun); it covers \(alerts) alert\(alerts == 1 ? "" : "s") of bots." }
        let isKnown = names.contains { Glob(silence.alert).matches($0) }
        let advice = isKnown ? "" : nearest(silence.alert, names)
        return ended("\(begun); it covers no known alert of any bot\(advice)")
    }

    /// Adds a full stop unless the sentence is a question.
    private static func ended(_ sentence: String) -> String { sentence.hasSuffix("?") ? sentence : sentence + "." }

    private static func nearest(_ word: String, _ known: [String]) -> String {
        word.nearest(among: known).map { "; did you mean \($0)?" } ?? list("alerts", known)
    }

    private static let shownCount = 10

    private static func list(_ what: String, _ all: [String]) -> String {
        guard !all.isEmpty else { return "; there are no \(what)" }
        let more = all.count > shownCount ? " and \(all.count - shownCount) more" : ""
        return "; the \(what) are \(all.prefix(shownCount).joined(separator: ", "))\(more)"
    }
}

extension AlertCommand {
    /// The order's subject, as the operator wrote it.
    fileprivate var subject: String {
        switch self {
        case .resolve(let id): id
        case .silence(let order): "\(order.alert)/\(order.bot)"
        case .unsilence(let number): "\(number)"
        }
    }
}

/// The arguments of a request about alerts.
struct AlertArguments {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private let path: String
    private let arguments: [(name: String, value: String)]

    init(path: String, _ arguments: [(name: String, value: String)]) {
        self.path = path
        self.arguments = arguments
    }

    var resolution: AlertCommand {
        get throws(Problem) {
            let values = try values(["id": true], form: "id=ALERT/BOT")
            return .resolve(values["id"] ?? "")
        }
    }

    var end: AlertCommand {
        get throws(Problem) {
            let values = try values(["id": true], form: "id=NUMBER")
            guard let text = values["id"], let number = UInt64(text) else {
                throw Problem(
                    description: "id is '\(values["id"] ?? "")': expected the number of a silence, as /latest shows it")
            }
            return .unsilence(number)
        }
    }

    var silence: AlertCommand {
        get throws(Problem) {
            let values = try values(
                ["alert": true, "bot": false, "for": true, "reason": false],
                form: "alert=GLOB&bot=GLOB&for=2h&reason=TEXT")
            let length = values["for"] ?? ""
            guard let nanoseconds = DurationText.nanoseconds(length), SilenceRequest.lengths.contains(nanoseconds)
            else {
                throw Problem(description: "for is '\(length)': expected a duration from 1m to 30d, such as 2h")
            }
            for (name, bytes) in [
                ("alert", SilenceRequest.patternBytes), ("bot", SilenceRequest.patternBytes),
                ("reason", SilenceRequest.reasonBytes),
            ] {
                guard let count = values[name]?.utf8.count, count > bytes else { continue }
                throw Problem(description: "\(name) has \(count) bytes: expected \(bytes) at most")
            }
            return .silence(
                SilenceRequest(
                    alert: Glob(values["alert"] ?? ""), bot: values["bot"].map { Glob($0) } ?? .all,
                    nanoseconds: nanoseconds, reason: values["reason"] ?? ""))
        }
    }

    /// Returns the arguments by name. Refuses an argument that is unknown or given twice, and an empty or missing one
    /// that is required.
    private func values(_ known: [String: Bool], form: String) throws(Problem) -> [String: String] {
        let usage = "Expected POST \(path)?\(form)"
        var values: [String: String] = [:]
        for (name, value) in arguments {
            guard known[name] != nil else { throw Problem(description: "\(usage): \(name) is unknown") }
            guard values.updateValue(value, forKey: name) == nil else {
                throw Problem(description: "\(usage): \(name) is given twice")
            }
        }
        for (name, isNeeded) in known.sorted(by: { $0.key < $1.key })
        where isNeeded ? values[name]?.isEmpty != false : values[name] == "" && name == "bot" {
            throw Problem(description: "\(usage): \(name) is missing")
        }
        return values
    }
}

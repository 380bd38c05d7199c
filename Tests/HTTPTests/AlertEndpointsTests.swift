import Collector
import Configuration
import Glibc
import Rules
import Series
import Synchronization
import TestSupport
import Testing

@testable import Drain
@testable import HTTP

@Suite("The paths by which alerts are resolved and silenced") struct AlertEndpointsTests {
    /// A drain that answers as a test says, and records the requests.
    private final class Answering: Sendable {
        let requests = AlertRequests()
        private let orders = Mutex<[AlertCommand]>([])
        private let hasEnded = Atomic(false)
        private let thread = Mutex<NativeThread?>(nil)

        var asked: [AlertCommand] { orders.withLock { $0 } }

        init(_ answer: AlertAnswer) {
            thread.withLock { thread in
                thread = NativeThread { [weak self, requests] in
                    while let self, !self.hasEnded.load(ordering: .relaxed) {
                        _ = requests.carryOut { order in
                            self.orders.withLock { $0.append(order) }
                            return answer
                        }
                        requests.giveAnswers()
                        usleep(500)
                    }
                }
            }
        }

        func end() {
            hasEnded.store(true, ordering: .relaxed)
            thread.withLock { $0?.join() }
        }
    }

    private static let silence = SilenceSnapshot(
        number: 3, alert: "deep", bot: "a*", reason: "", sinceUnixNanoseconds: 0,
        untilUnixNanoseconds: 1_700_000_000_000_000_000)

    struct Case: Sendable {
        let path: String
        let order: AlertCommand
        let answer: AlertAnswer
        let status: Int
        let said: String
    }

    private static func order(_ alert: String, _ bot: String = "*", seconds: Int64, reason: String = "")
        -> AlertCommand
    {
        .silence(
            SilenceRequest(alert: Glob(alert), bot: Glob(bot), nanoseconds: seconds * 1_000_000_000, reason: reason))
    }

    static let cases = [
        Case(
            path: "resolve?id=deep/alpha", order: .resolve("deep/alpha"), answer: .resolved, status: 200,
            said: "The alert deep/alpha is resolved. It fires again only after its condition has ceased to hold."),
        Case(
            path: "resolve?id=deep%2Falpah", order: .resolve("deep/alpah"), answer: .unknown(["deep/alpha", "x/y"]),
            status: 404, said: "There is no alert deep/alpah; did you mean deep/alpha?"),
        Case(
            path: "resolve?id=no", order: .resolve("no"), answer: .unknown((1...12).map { "slow/bot\($0)" }),
            status: 404,
            said: "There is no alert no; the alerts are "
                + (1...10).map { "slow/bot\($0)" }.joined(separator: ", ") + " and 2 more."),
        Case(
            path: "resolve?id=no", order: .resolve("no"), answer: .unknown([]), status: 404,
            said: "There is no alert no; there are no alerts."),
        Case(
            path: "resolve?id=deep/alpha", order: .resolve("deep/alpha"), answer: .doesNotFire(.pending), status: 409,
            said: "The alert deep/alpha is not firing; it is pending; nothing was changed."),
        Case(
            path: "silence?alert=deep&bot=a*&for=90m&reason=new%20gateway",
            order: order("deep", "a*", seconds: 5400, reason: "new gateway"),
            answer: .silenced(silence, alerts: 2, names: ["deep"]), status: 200,
            said: "Silence 3 of deep/a* holds until 2023-11-14T22:13:20.000Z; it covers 2 alerts of bots."),
        Case(
            path: "silence?alert=depe&for=1m", order: order("depe", seconds: 60),
            answer: .silenced(
                SilenceSnapshot(
                    number: 4, alert: "depe", bot: "*", reason: "", sinceUnixNanoseconds: 0,
                    untilUnixNanoseconds: 1_700_000_000_000_000_000), alerts: 0, names: ["deep", "other"]),
            status: 200,
            said:
                "Silence 4 of depe/* holds until 2023-11-14T22:13:20.000Z; it covers no known alert of any bot; did you mean deep?"
        ),
        Case(
            path: "silence?alert=*&for=30d", order: order("*", seconds: 2_592_000), answer: .full, status: 409,
            said: "100 silences hold, which is the limit; end one first."),
        Case(
            path: "unsilence?id=3", order: .unsilence(3), answer: .unsilenced(silence), status: 200,
            said: "Silence 3 of deep/a* is ended."),
        Case(
            path: "unsilence?id=9", order: .unsilence(9), answer: .noSilence([3, 4]), status: 404,
            said: "There is no silence 9; the silences are 3, 4."),
    ]

    @Test("each order reaches the drain, and its answer the operator", arguments: cases)
    func ordered(_ one: Case) throws {
        let drain = Answering(one.answer)
        defer { drain.end() }
        let server = try HTTPTestServer(alertRequests: drain.requests)
        defer { server.server.stop() }
        let answer = try HTTPClient.request("/alerts/\(one.path)", port: server.port, method: "POST")
        #expect(answer.status == one.status && answer.text == one.said + "\n", "\(answer.text)")
        #expect(drain.asked == [one.order])
        #expect(try HTTPClient.request("/alerts/\(one.path)", port: server.port).status == 405)
    }

    @Test(
        "what cannot be understood is refused with what was expected, and nothing is changed",
        arguments: [
            ("resolve", "id is missing"), ("resolve?id=", "id is missing"), ("resolve?id=a&id=b", "id is given twice"),
            ("resolve?name=a", "name is unknown"), ("unsilence?id=x", "id is 'x': expected the number of a silence"),
            ("unsilence?id=-1", "expected the number"), ("silence?alert=a", "for is missing"),
            ("silence?for=1h", "alert is missing"), ("silence?alert=&for=1h", "alert is missing"),
            ("silence?alert=a&bot=&for=1h", "bot is missing"),
            ("silence?alert=a&for=59s", "for is '59s': expected a duration from 1m to 30d, such as 2h"),
            ("silence?alert=a&for=31d", "for is '31d'"), ("silence?alert=a&for=2", "for is '2'"),
            ("silence?alert=a&for=1e3h", "for is '1e3h'"), ("silence?alert=a&for=-1h", "for is '-1h'"),
            ("silence?alert=a&for=1h&until=2h", "until is unknown"),
            (
                "silence?alert=a&for=1h&reason=" + String(repeating: "x", count: 501),
                "reason has 501 bytes: expected 500"
            ),
            ("silence?for=1h&alert=" + String(repeating: "x", count: 201), "alert has 201 bytes: expected 200 at most"),
        ])
    func refused(path: String, said: String) throws {
        let drain = Answering(.resolved)
        defer { drain.end() }
        let server = try HTTPTestServer(alertRequests: drain.requests)
        defer { server.server.stop() }
        let answer = try HTTPClient.request("/alerts/\(path)", port: server.port, method: "POST")
        #expect(answer.status == 400 && answer.text.contains(said), "\(answer.text)")
        #expect(drain.asked.isEmpty)
    }

    @Test("without an answer of the drain nothing is changed, and that is said")
    func late() throws {
        let requests = AlertRequests()
        let server = try HTTPTestServer(alertRequests: requests)
        defer { server.server.stop() }
        let answer = try HTTPClient.request("/alerts/resolve?id=a/b", port: server.port, method: "POST")
        #expect(answer.status == 503 && answer.text.contains("nothing was changed"))
        let isLate = requests.carryOut { _ in .resolved }
        #expect(!isLate, "given up, and done all the same")
    }

    @Test("where users are named, nobody else may silence or resolve")
    func credentials() throws {
        let drain = Answering(.resolved)
        defer { drain.end() }
        var web = WebConfiguration()
        web.bearerTokens = ["token-of-a-scraper-4b1c"]
        let server = try HTTPTestServer(web: web, alertRequests: drain.requests)
        defer { server.server.stop() }
        let path = "/alerts/resolve?id=a/b"
        #expect(try HTTPClient.request(path, port: server.port, method: "POST").status == 401)
        #expect(drain.asked.isEmpty)
        let headers = ["Authorization": "Bearer token-of-a-scraper-4b1c"]
        #expect(try HTTPClient.request(path, port: server.port, method: "POST", headers: headers).status == 200)
        #expect(drain.asked == [.resolve("a/b")])
    }
}

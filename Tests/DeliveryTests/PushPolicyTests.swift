import Platform
import Drain
import Configuration
import Series
import TestSupport
import Testing

@testable import Delivery

@Suite("What answers mean to OTLP and to remote write") struct PushPolicyTests {
    /// Runs a lane to a receiver that answers with these in turn, and then with 200.
    private func run(_ policy: ResponsePolicy, _ answers: [HTTPReceiver.Answer], entries: Int) throws -> (
        status: ExportStatus, requests: [String], taken: [String]
    ) {
        let receiver = try HTTPReceiver { number, _ in number < answers.count ? answers[number] : .status(200) }
        let store = try DeliveryStore(path: nil)
        let accounts = ExportAccounts()
        var destination = Destination(name: "peer", url: receiver.url)
        destination.longestPauseNanoseconds = 100_000_000
        accounts.keep(["peer"])
        let lane = try DeliveryWorker(
            destination, url: receiver.url, policy: policy, store: store, accounts: accounts,
            logger: Logger(level: .error, descriptor: -1), userAgent: "ringside/test")
        try lane.start()
        defer {
            lane.beginEnd(by: 0)
            lane.join()
        }
        for number in 0..<entries {
            lane.enqueue(
                DeliveryStore.Change(entries: [DeliveryEntry(body: Array("\(number)".utf8), contentType: "text/x")]))
        }
        try Watchdog.wait(for: "an empty queue") {
            accounts.all[0].queuedEntries == 0 && store.level(of: "peer").entries == 0
        }
        return (accounts.all[0], receiver.requests.map(\.text), receiver.taken.map(\.text))
    }

    @Test("OTLP retries after 429, 502, 503 and 504 and after no other status, and nothing overtakes a retry")
    func otlp() throws {
        let answers = [429, 502, 503, 504, 500, 400, 408].map { HTTPReceiver.Answer.status($0) }
        let (status, requests, taken) = try run(.otlp, answers, entries: 5)
        // The first is refused for now four times and then for good. The two after it are refused for good.
        #expect(requests == ["0", "0", "0", "0", "0", "1", "2", "3", "4"] && taken == ["3", "4"])
        #expect(status.dropped["rejected"] == 3 && status.retries == 4 && status.sent == 2)
    }

    @Test("an OTLP answer that refuses some points is a success with a loss, and is not retried")
    func partial() throws {
        // partial_success { rejected_data_points: 5, error_message: "old" }
        let body = "\u{0A}\u{07}\u{08}\u{05}\u{12}\u{03}old"
        let (status, requests, _) = try run(.otlp, [.status(200, body: body)], entries: 2)
        #expect(requests == ["0", "1"])
        #expect(status.failed["partial"] == 1 && status.sent == 2 && status.isOK)
        #expect(
            ResponsePolicy.otlp.judge(PushAnswer(status: 200, body: Array(body.utf8))) == .partial("5 refused: old"))
        #expect(ResponsePolicy.otlp.judge(PushAnswer(status: 200, body: [0x0A, 0xFF, 0xFF])) == .delivered)
    }

    @Test("remote write retries after 429 and all of 5xx, and drops what any other status refuses")
    func remoteWrite() throws {
        let answers = [500, 501, 503, 599, 429, 400, 409].map { HTTPReceiver.Answer.status($0) }
        let (status, requests, taken) = try run(.remoteWrite, answers, entries: 4)
        #expect(requests == ["0", "0", "0", "0", "0", "0", "1", "2", "3"] && taken == ["2", "3"])
        #expect(status.dropped["rejected"] == 2 && status.retries == 5)
    }
}

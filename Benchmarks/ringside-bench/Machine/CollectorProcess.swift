internal import FoundationEssentials
internal import Glibc

/// A `ringsided` of our own build, on a port and a ring directory of its own. It is ended with the last reference.
final class CollectorProcess {
    private let process: Program
    private let log: String
    /// Kept for as long as the collector runs.
    private let rings: ScratchDirectory
    /// The state directory. Checkpoints are a part of a collector's cost.
    private let state: ScratchDirectory
    let port: UInt16

    var pid: Int32 { process.pid }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts the collector and waits until it is ready.
    ///
    /// - Throws: ``Failure`` if it is not there or does not start.
    init(rings: ScratchDirectory) throws {
        let command = "\(Program.ownFolder)/ringsided"
        guard access(command, X_OK) == 0 else {
            throw Failure(description: "there is no \(command); 'swift build -c release' makes it")
        }
        self.rings = rings
        state = try ScratchDirectory()
        log = "\(rings.path)/collector.log"
        process = try Program(
            [
                command, "--ring-dir", rings.path, "--state-dir", state.path, "--web.listen-address", "127.0.0.1:0",
            ], errorFile: log)
        port = try Self.port(inLog: log)
        let port = port
        try Self.wait(for: "a collector that is ready") { try HTTPClient.get("/-/ready", port: port) != nil }
    }

    deinit { process.terminate() }

    func latest() throws -> LatestFields? {
        guard let body = try HTTPClient.get("/latest", port: port) else { return nil }
        return try JSONDecoder().decode(LatestFields.self, from: Data(body))
    }

    /// Returns the latest snapshot once every written record is accounted for.
    func latestWhenDrained() throws -> LatestFields {
        var latest: LatestFields?
        try Self.wait(for: "rings without a backlog") {
            latest = try self.latest()
            return latest?.allRings.allSatisfy { $0.backlog == 0 } ?? false
        }
        return latest!
    }

    private static func port(inLog log: String) throws -> UInt16 {
        var port: UInt16?
        try wait(for: "the collector's address") {
            let line = textFile(log)?.split(separator: "\n").first { $0.contains(" msg=listening ") }
            let address = line?.split(separator: " ").first { $0.hasPrefix("address=") }
            port = address?.split(separator: ":").last.flatMap { UInt16($0) }
            return port != nil
        }
        return port!
    }

    static func wait(for what: String, _ isThere: () throws -> Bool) throws {
        let limit = monotonicNanoseconds() + 30_000_000_000
        while try !isThere() {
            guard monotonicNanoseconds() < limit else { throw Failure(description: "\(what): not within 30 s") }
            sleep(nanoseconds: 5_000_000)
        }
    }
}

/// The parts of `/latest` that the benchmarks read.
struct LatestFields: Decodable {
    struct Bot: Decodable {
        let bot: String
        let rings: [Ring]
        let metrics: [Metric]
    }
    struct Ring: Decodable {
        let position, drained, backlog: UInt64
        let lost: [String: UInt64]
    }
    struct Metric: Decodable {
        let name: String
        let count: UInt64?
    }
    let bots: [Bot]

    var allRings: [Ring] { bots.flatMap(\.rings) }
    var drained: UInt64 { allRings.reduce(0) { $0 + $1.drained } }
    var lost: UInt64 { allRings.reduce(0) { $0 + $1.lost.values.reduce(0, +) } }

    /// Returns the values of a histogram that the collector has seen; 0 if it does not know the histogram.
    func count(of metric: String) -> UInt64 {
        bots.lazy.flatMap(\.metrics).first { $0.name == metric }?.count ?? 0
    }
}

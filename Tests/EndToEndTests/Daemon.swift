import FoundationEssentials
import Glibc
import TestSupport

/// A `ringsided` on a port of its own. It is killed with the last reference if it has not ended by then.
final class Daemon {
    let process: ChildProcess
    let port: UInt16

    /// Starts a collector and waits until it is ready.
    ///
    /// - Parameter environment: Variables that are set over those of this process.
    convenience init(
        _ rings: TemporaryRingDirectory, _ options: [String] = [], environment: [String: String] = [:]
    ) throws {
        try self.init(Self.start(rings, options, environment: environment))
    }

    /// Waits until a collector that was started otherwise is ready.
    init(_ process: ChildProcess) throws {
        self.process = process
        port = try Self.port(of: process)
        let port = port
        try Watchdog.wait(for: "a collector that is ready") {
            try HTTPClient.request("/-/ready", port: port).status == 200
        }
    }

    static func start(
        _ rings: TemporaryRingDirectory, _ options: [String] = [], environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try ChildProcess(
            [ChildProcess.builtProgram("ringsided"), "--ring-dir", rings.path, "--web.listen-address", "127.0.0.1:0"]
                + options, environment: environment)
    }

    private static func port(of process: ChildProcess) throws -> UInt16 {
        var port: UInt16?
        try Watchdog.wait(for: "the collector's address") {
            let fields = process.standardError.split(separator: "\n").first { $0.contains(" msg=listening ") }
            port = fields?.split(separator: " ").first { $0.hasPrefix("address=") }
                .flatMap { $0.split(separator: ":").last }.flatMap { UInt16($0) }
            return port != nil || process.hasEnded()
        }
        guard let port else { throw Unexpected(description: "the collector ended: \(process.standardError)") }
        return port
    }

    /// The log, line by line.
    var log: [Substring] { process.standardError.split(separator: "\n") }

    /// Opens a connection without a request. The caller closes it.
    func connect() throws -> Int32 { try HTTPClient.connect(port: port, limitSeconds: 10) }

    // MARK: Asking

    /// Returns the answer of a path. On an overloaded machine the collector may not make a snapshot in time, and
    /// answers with 503. Then it is asked again.
    func get(_ path: String) throws -> HTTPClient.Response {
        var response: HTTPClient.Response?
        let port = port
        try Watchdog.wait(for: "\(path) with status 200") {
            response = try HTTPClient.request(path, port: port)
            return response?.status == 200
        }
        return response!
    }

    func latest() throws -> Latest {
        try JSONDecoder().decode(Latest.self, from: Data(get("/latest").body))
    }

    func metrics() throws -> Exposition { try Exposition(get("/metrics").body) }

    /// Asks for `/latest` until it is as wanted, and returns it.
    @discardableResult
    func latest(when what: String, _ isWanted: (Latest) -> Bool) throws -> Latest {
        var latest: Latest?
        try Watchdog.wait(for: what) {
            latest = try self.latest()
            return isWanted(latest!)
        }
        return latest!
    }

    /// Returns `/latest` once every record of every ring is accounted for.
    func latestWhenDrained() throws -> Latest {
        try latest(when: "rings without a backlog") { $0.bots.allSatisfy { $0.rings.allSatisfy { $0.backlog == 0 } } }
    }
}

import Glibc
import TestSupport

extension Peer {
    /// Starts InfluxDB 1.6 with an empty database `desk`.
    static func influxDB(in folder: String) throws -> Peer {
        let folder = "\(folder)/influxdb"
        mkdir(folder, 0o700)
        let backup = try freePort()
        let peer = try Peer(readyPath: "/ping") { port in
            let configuration = """
                reporting-disabled = true
                bind-address = "127.0.0.1:\(backup)"
                [meta]
                  dir = "\(folder)/meta"
                [data]
                  dir = "\(folder)/data"
                  wal-dir = "\(folder)/wal"
                  query-log-enabled = false
                [monitor]
                  store-enabled = false
                [http]
                  bind-address = "127.0.0.1:\(port)"
                  log-enabled = false
                """
            try? write(configuration, to: "\(folder)/influxdb.conf")
            return ["influxd", "-config", "\(folder)/influxdb.conf"]
        }
        let made = try HTTPClient.request("/query?q=CREATE%20DATABASE%20desk", port: peer.port, method: "POST")
        guard made.status == 200 else { throw Unexpected(description: "InfluxDB makes no database: \(made.text)") }
        return peer
    }
}

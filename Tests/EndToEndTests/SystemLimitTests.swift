import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A collector that reaches the system's limits") struct SystemLimitTests {
        private let rings = TemporaryRingDirectory()
        private let files = TemporaryRingDirectory(under: "/tmp")

        private var path: String { "\(files.path)/ringside.json5" }

        private func configuration(_ names: [String]) -> String {
            let webhooks = names.map { "{ name: '\($0)', url: 'http://127.0.0.1:9/\($0)' }" }
            return "{ webhooks: [\(webhooks.joined(separator: ", "))] }"
        }

        private func write(_ names: [String]) {
            unlink(path)
            RingFile.make(path, Array(configuration(names).utf8))
            chmod(path, 0o644)
        }

        private func exports(_ daemon: Daemon) throws -> Set<String> {
            Set(
                try daemon.metrics().samples.filter { $0.name == "ringside_export_queue_entries" }.compactMap {
                    $0.labels["export"]
                })
        }

        /// Sets a limit of a running process: `nofile=64:10000`.
        private func limit(_ pid: pid_t, _ limit: String) throws {
            #expect(try ChildProcess(["prlimit", "--pid", "\(pid)", "--\(limit)"]).wait() == .code(0))
        }

        @Test(
            "a reload for which there are too few descriptors is refused with the reason, and one with enough is accepted"
        )
        func reloads() throws {
            write(["one"])
            let daemon = try Daemon(rings, ["--config", path, "--state-dir", "\(files.path)/state"])
            // The lowest numbers are taken. A descriptor inherited from the runner of the tests may be far above them.
            let open = daemon.descriptors.count { $0 < 200 }
            let names = (0..<40).map { "hook\($0)" }
            for room in [8, 16, 30] {
                try limit(daemon.process.pid, "nofile=\(open + room):10000")
                write(["one"] + names)
                let answer = try HTTPClient.request("/-/reload", port: daemon.port, method: "POST")
                #expect(answer.status == 500)
                #expect(answer.text.contains("stays in force") && answer.text.contains("ulimit -n"), "\(answer.text)")
                #expect(try exports(daemon) == ["one"])
                #expect(try daemon.metrics().values["ringside_config_last_reload_successful"] == 0)
            }
            #expect(daemon.log.contains { $0.contains("configuration not reloaded") && $0.contains("ulimit -n") })
            try limit(daemon.process.pid, "nofile=10000:10000")
            #expect(try HTTPClient.request("/-/reload", port: daemon.port, method: "POST").status == 200)
            try Watchdog.wait(for: "all destinations") { try exports(daemon).count == 41 }
            #expect(try daemon.process.end() == .code(0))
        }

        @Test(
            "a collector that is given too few descriptors or threads ends with status 1 and says which limit to raise")
        func starts() throws {
            write((0..<4).map { "hook\($0)" })
            let daemon = [
                ChildProcess.builtProgram("ringsided"), "--ring-dir", rings.path, "--web.listen-address", "127.0.0.1:0",
            ]
            let options = daemon + ["--config", path, "--state-dir", "\(files.path)/state"]
            var said = 0
            for limit in 16..<40 {
                let process = try ChildProcess(["/bin/sh", "-c", "ulimit -n \(limit) && exec \"$@\"", "sh"] + options)
                try Watchdog.wait(for: "an end or a collector that listens") {
                    process.hasEnded() || process.standardError.contains("listening")
                }
                guard process.hasEnded() else { continue }
                #expect(try process.wait() == .code(1), "limit \(limit): \(process.standardError)")
                if process.standardError.contains("ulimit -n") { said += 1 }
            }
            #expect(said > 0)
        }

        /// The limit on threads does not bind a user with all capabilities.
        @Test("a reload for which there are too few threads is refused and says so", .enabled(if: geteuid() == 0))
        func threads() throws {
            // Nobody uses this user id, so the count is that of this collector.
            let user: uid_t = 61_000 + UInt32(getpid() % 1000)
            for folder in [rings.path, files.path] {
                try #require(chown(folder, user, user) == 0 && chmod(folder, 0o755) == 0)
            }
            write(["one"])
            let process = try ChildProcess(
                ["prlimit", "--nproc=24:24", "setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--"]
                    + [
                        ChildProcess.builtProgram("ringsided"), "--ring-dir", rings.path, "--web.listen-address",
                        "127.0.0.1:0",
                    ]
                    + ["--config", path, "--state-dir", "\(files.path)/state"])
            try Watchdog.wait(for: "a collector that listens") {
                process.standardError.contains("listening") || process.hasEnded()
            }
            let line = try #require(
                process.standardError.split(separator: "\n").first { $0.contains(" msg=listening ") })
            let field = try #require(line.split(separator: " ").first { $0.hasPrefix("address=") })
            let port = try #require(field.split(separator: ":").last.flatMap { UInt16($0) })
            write(["one"] + (0..<40).map { "hook\($0)" })
            let answer = try HTTPClient.request("/-/reload", port: port, method: "POST")
            #expect(answer.status == 500 && answer.text.contains("ulimit -u"), "\(answer.text)")
            #expect(try HTTPClient.request("/-/healthy", port: port).status == 200)
            #expect(try process.end() == .code(0))
        }
    }
}

extension Daemon {
    /// The open descriptors of the collector.
    fileprivate var descriptors: [Int] {
        var numbers: [Int] = []
        guard let folder = opendir("/proc/\(process.pid)/fd") else { return [] }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = Int(name) { numbers.append(number) }
        }
        return numbers
    }
}

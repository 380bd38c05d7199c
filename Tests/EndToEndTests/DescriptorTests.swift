import Glibc
import Ringside
import TestSupport
import Testing

extension EndToEnd {
    @Suite("A collector with few descriptors") struct DescriptorTests {
        private let rings = TemporaryRingDirectory()

        /// A bot with one counter. It lives as long as this object.
        private final class Bot {
            private let telemetry: Telemetry

            init(_ name: String, in directory: String) throws {
                telemetry = try Telemetry.attach(
                    name, options: AttachOptions(directory: directory, capacityRecords: 64, metricCapacity: 8))
                try telemetry.counter("writes_total", help: "Records.").increment()
            }
        }

        @Test("of 300 rings that live a collector that may have 256 descriptors reads all, serves and does not spin")
        func many() throws {
            let bots = try (0..<300).map { try Bot("bot-\($0)", in: rings.path) }
            let process = try ChildProcess([
                "bash", "-c", "ulimit -n 256 && exec \"$@\"", "bash", ChildProcess.builtProgram("ringsided"),
                "--ring-dir",
                rings.path, "--web.listen-address", "127.0.0.1:0",
            ])
            let daemon = try Daemon(process)
            try daemon.latest(when: "300 bots") { $0.bots.count == 300 && $0.bots.allSatisfy(\.up) }
            let metrics = try daemon.metrics().samples
            #expect(metrics.value("ringside_unread_rings") == 0 && metrics.value("process_max_fds") == 256)
            #expect(daemon.log.count { $0.contains("more rings than descriptors") } == 1)
            // Idle connections take descriptors too, but must not take the last ones.
            let idle = try (0..<200).map { _ in try daemon.connect() }
            for _ in 0..<3 { #expect(try HTTPClient.request("/-/healthy", port: daemon.port).status == 200) }
            #expect(try daemon.metrics().samples.value("process_open_fds") ?? .infinity < 250)
            for descriptor in idle { close(descriptor) }
            withExtendedLifetime(bots) {}
            #expect(try process.end() == .code(0))
        }

        @Test("the limit is raised as far as the system allows")
        func raised() throws {
            let process = try ChildProcess([
                "bash", "-c", "ulimit -Sn 100 && ulimit -Hn 4000 && exec \"$@\"", "bash",
                ChildProcess.builtProgram("ringsided"), "--ring-dir", rings.path, "--web.listen-address", "127.0.0.1:0",
            ])
            let daemon = try Daemon(process)
            #expect(try daemon.metrics().samples.value("process_max_fds") == 4000)
            #expect(try process.end() == .code(0))
        }
    }
}

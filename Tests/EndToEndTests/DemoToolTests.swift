import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The one command that shows everything") struct DemoTool {
        /// The folder for the tool's own files.
        private let outputs = TemporaryRingDirectory(under: "/tmp")

        /// The processes that the tool has started, from /proc.
        private struct Started {
            let processes: [pid_t]
            let commandLines: [[String]]
            let ringDirectory: String
        }

        @Test("tools/demo shows percentiles of its bots, ends by itself, and leaves nothing behind")
        func toTheEnd() throws {
            let tool = try start(["--duration", "3"])
            defer { kill(-tool.pid, SIGKILL) }
            let started = try started(by: tool)
            #expect(try tool.wait() == .code(0), "\(tool.standardError)")
            let addresses = tool.standardError.split(separator: "\n").filter { $0.contains("http://127.0.0.1:") }
            #expect(addresses.count == 3 && addresses[0].hasPrefix("Open http://127.0.0.1:"), "\(addresses)")
            #expect(addresses[0].contains("submit_to_ack_slow") && addresses[1].hasPrefix("Buttons "), "\(addresses)")
            for shown in ["demo1", "demo2", "demo3", "P99.9"] { #expect(tool.standardOutput.contains(shown)) }
            expectNothingLeft(of: started)
        }

        @Test("tools/demo --calm gives the bots no schedule and the collector no configuration, and has the buttons")
        func calm() throws {
            let tool = try start(["--calm", "--duration", "2"])
            defer { kill(-tool.pid, SIGKILL) }
            let started = try started(by: tool)
            #expect(started.commandLines.contains { $0.contains("--ui") && !$0.contains("--lively") })
            #expect(!started.commandLines.contains { $0.contains("--lively") || $0.contains("--config") })
            #expect(try tool.wait() == .code(0), "\(tool.standardError)")
            #expect(tool.standardError.contains("\nButtons that make trouble: http://127.0.0.1:"))
            expectNothingLeft(of: started)
        }

        @Test(
            "tools/demo without a duration ends with status 0 when it is told to, and nothing is left behind",
            arguments: [true, false])
        func untilTold(byTerminal: Bool) throws {
            let tool = try start([])
            defer { kill(-tool.pid, SIGKILL) }
            let started = try started(by: tool)
            try Watchdog.wait(for: "a table") { tool.standardOutput.contains("demo3") || tool.hasEnded() }
            // Ctrl-C is sent to all processes of the foreground; setsid(1) has made these a group of their own.
            if byTerminal { kill(-tool.pid, SIGINT) } else { tool.send(SIGTERM) }
            #expect(try tool.wait() == .code(0), "\(tool.standardError)")
            expectNothingLeft(of: started)
        }

        /// Starts the tool with default signals. The test's own process may have been started with signals ignored,
        /// which children inherit.
        private func start(_ options: [String]) throws -> ChildProcess {
            try ChildProcess(
                ["env", "--default-signal=INT,TERM", "setsid", "\(repository)/tools/demo", "--port", "0"] + options,
                environment: ["TMPDIR": outputs.path])
        }

        private func started(by tool: ChildProcess) throws -> Started {
            var processes: [pid_t] = []
            func arguments(of command: String, with option: String = "") -> [String]? {
                processes.lazy.map(commandLine).first {
                    $0.first?.hasSuffix("/\(command)") == true && (option.isEmpty || $0.contains(option))
                }
            }
            // A build may come before it.
            try Watchdog.wait(for: "the tool's collector, bots and table", limitSeconds: 900) {
                // The bots are a process of the one that serves the buttons.
                processes = children(of: tool.pid).flatMap { [$0] + children(of: $0) }
                return ["ringsided", "ringside-demo", "ringside"].allSatisfy { arguments(of: $0) != nil }
                    && arguments(of: "ringside-demo", with: "--commands") != nil || tool.hasEnded()
            }
            let collector = try #require(arguments(of: "ringsided"), "\(tool.standardError)")
            let option = try #require(collector.firstIndex(of: "--ring-dir"))
            return Started(
                processes: processes, commandLines: processes.map(commandLine), ringDirectory: collector[option + 1])
        }

        private func expectNothingLeft(of started: Started) {
            for process in started.processes { #expect(kill(process, 0) == -1 && errno == ESRCH) }
            #expect(access(started.ringDirectory, F_OK) == -1)
            // The build leaves folders of other names there.
            #expect(outputs.entries().filter { $0.hasPrefix("tmp.") } == [])
        }

        /// Returns the processes that a process with one thread has started (proc_pid_task(5)).
        private func children(of pid: pid_t) -> [pid_t] {
            contents("/proc/\(pid)/task/\(pid)/children").split(separator: " ").compactMap { pid_t($0) }
        }

        private func commandLine(_ pid: pid_t) -> [String] {
            contents("/proc/\(pid)/cmdline").split(separator: "\0").map(String.init)
        }

        private func contents(_ path: String) -> String {
            (try? Data(contentsOf: URL(filePath: path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }
}

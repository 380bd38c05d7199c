import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The one command that shows it all") struct DemoTool {
        /// Where the tool keeps its own files: what lies here at its end was left behind.
        private let outputs = TemporaryRingDirectory(under: "/tmp")

        /// What the tool has started, as /proc shows it.
        private struct Started {
            let processes: [pid_t]
            let ringDirectory: String
        }

        @Test("tools/demo shows percentiles of its bots, ends by itself, and leaves nothing behind")
        func toTheEnd() throws {
            let tool = try start(["--duration", "3"])
            let started = try started(by: tool)
            #expect(try tool.wait() == .code(0), "\(tool.standardError)")
            for shown in ["demo1", "demo2", "demo3", "P99.9"] { #expect(tool.standardOutput.contains(shown)) }
            expectNothingLeft(of: started)
        }

        @Test("Ctrl-C ends tools/demo with status 0, and nothing is left behind")
        func interrupted() throws {
            let tool = try start([])
            let started = try started(by: tool)
            try Watchdog.wait(for: "a table") { tool.standardOutput.contains("demo3") || tool.hasEnded() }
            // A terminal signals all processes of the foreground; setsid(1) has made these a group of their own.
            kill(-tool.pid, SIGINT)
            #expect(try tool.wait() == .code(0), "\(tool.standardError)")
            expectNothingLeft(of: started)
        }

        private func start(_ options: [String]) throws -> ChildProcess {
            try ChildProcess(
                ["setsid", "\(repository)/tools/demo", "--port", "0"] + options, environment: ["TMPDIR": outputs.path])
        }

        private func started(by tool: ChildProcess) throws -> Started {
            // A build may come before it.
            try Watchdog.wait(for: "the collector's address", limitSeconds: 900) {
                tool.standardError.contains("http://127.0.0.1:") || tool.hasEnded()
            }
            let processes = children(of: tool.pid)
            let arguments = processes.map(commandLine)
            let collector = try #require(
                arguments.first { $0.first?.hasSuffix("/ringsided") == true }, "\(tool.standardError)")
            #expect(arguments.contains { $0.first?.hasSuffix("/ringside-demo") == true })
            let option = try #require(collector.firstIndex(of: "--ring-dir"))
            return Started(processes: processes, ringDirectory: collector[option + 1])
        }

        private func expectNothingLeft(of started: Started) {
            for process in started.processes { #expect(kill(process, 0) == -1 && errno == ESRCH) }
            #expect(access(started.ringDirectory, F_OK) == -1)
            #expect(outputs.entries() == [])
        }

        /// proc_pid_task(5): the processes that one of one thread has started.
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

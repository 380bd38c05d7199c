import FoundationEssentials
import TestSupport
import Testing

/// Returns a whole file as text.
func contents(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
}

extension Bench {
    @Suite struct Usage {
        @Test(
            "wrong usage exits with 2 and measures nothing",
            arguments: [
                [], ["speed"], ["emission", "--rounds", "0"], ["emission", "--format", "xml"], ["emission", "more"],
                ["drain", "--laps", "none"], ["collector", "--seconds", "-1"], ["two-process", "--seconds"],
            ])
        func wrongUsage(arguments: [String]) throws {
            let (exit, output, errors) = try Bench.run(arguments)
            #expect(exit == .code(2))
            #expect(output.isEmpty && !errors.isEmpty)
        }

        @Test(
            "each verb has its help",
            arguments: [
                "emission", "peers", "drain", "scrape", "collector", "two-process", "history", "growth", "memory",
            ])
        func help(verb: String) throws {
            let (exit, output, _) = try Bench.run([verb, "--help"])
            #expect(exit == .code(0))
            #expect(output.hasPrefix("Usage: ringside-bench \(verb) "))
            #expect(output.contains("--quick") && output.contains("--format"))
        }
    }
}

import TestSupport
import Testing

/// Counts the instructions of each call by valgrind's callgrind(1). The number does not depend on other work of the
/// machine. Each bound is the count when it was written down, so that no change adds an instruction unnoticed. A change
/// that removes instructions lowers the bound. The counts for C are less those of a function that makes no call.
@Suite(.serialized) struct InstructionCountTests {
    private let directory = TemporaryRingDirectory(under: "/tmp")

    /// Swift, optimised, x86-64: a function that makes only the call. `Stopwatch` is a start and two laps.
    private static let ofSwift: [(call: String, bound: Double)] = [
        ("Counter", 13), ("Fees", 15), ("UpDown", 18), ("Gauge", 20), ("Spikes", 62), ("Value", 32),
        ("DisabledValue", 13), ("TimedValue", 43), ("Nanoseconds", 31), ("Closure", 58), ("Token", 63),
        ("DroppedToken", 33), ("ByHand", 54), ("Stopwatch", 96),
    ]

    /// C by gcc 12 -O2, x86-64.
    private static let ofC: [(call: String, bound: Double)] = [
        ("counter", 11), ("gauge", 14), ("value", 31), ("timed_value", 38), ("lap", 42), ("span", 54),
    ]

    @Test("no Swift call takes more instructions than its bound")
    func swift() throws {
        guard let probe = try probe() else { return }
        let counts = try counted([probe, "count", "alpha", "all", "1000"])
        for (call, bound) in Self.ofSwift {
            // The mangled name of a Swift function of RingProbe.
            let name = "$s9RingProbe\(call.utf8.count + 5)probe\(call)yySVF"
            let count = try #require(counts[name], "\(call)")
            #expect(count > 0 && count <= bound + Self.ofLaps, "\(call) takes \(count) instructions")
        }
    }

    @Test("no C call takes more instructions than its bound")
    func c() throws {
        guard Self.isCountable() else { return }
        let version = try output(["gcc", "-dumpversion"])
        guard version?.hasPrefix("12") == true else {
            print("InstructionCountTests: C is not counted: its bounds are gcc 12's, and here is \(version ?? "none")")
            return
        }
        let program = "\(directory.path)/counts"
        let sources = Sources.files(under: "Sources/CRingside").filter { $0.hasSuffix(".c") }
        let build = try ChildProcess(
            ["gcc", "-O2", "-std=c11", "-I\(Sources.root)/Sources/CRingside/include", "-o", program]
                + (["Tests/RingsideTests/Bots/counts.c"] + sources).map { "\(Sources.root)/\($0)" } + ["-pthread"])
        #expect(try build.wait(limitSeconds: 300) == .code(0), "\(build.standardError)")
        let counts = try counted([program, "alpha", "1000"])
        let nothing = try #require(counts["ringside_count_nothing"])
        for (call, bound) in Self.ofC {
            let count = try #require(counts["ringside_count_\(call)"], "\(call)") - nothing
            #expect(count > 0 && count <= bound + Self.ofLaps, "\(call) takes \(count) instructions")
        }
    }

    /// A span around an awaited function, by a token and by a closure. After a closure the compiler asks for the actor
    /// once more.
    @Test("a span around an awaited function takes no more instructions than its bound, by token and by closure")
    func awaited() throws {
        guard let probe = try probe() else { return }
        let rounds = 20_000
        func total(_ calls: String, _ rounds: Int) throws -> Double {
            let profile = try profile([probe, "count", "alpha", calls, "\(rounds)"])
            let line = try #require(profile.first { $0.hasPrefix("totals: ") })
            return try #require(Double(line.dropFirst(8)))
        }
        let nothing = try total("await_nothing", rounds)
        let token = (try total("await_token", rounds) - nothing) / Double(rounds)
        let closure = (try total("await_closure", rounds) - nothing) / Double(rounds)
        #expect(token > 0 && token <= 63, "by token \(token)")
        #expect(closure > 0 && closure <= 160, "by closure \(closure)")
    }

    /// The additional instructions of a call for the word of a lap, which is renewed once in 1,024 records, and the
    /// rounding of a mean.
    private static let ofLaps = 0.5

    /// Returns RingProbe without its debug information, which valgrind cannot read for a Swift program. Returns nil if
    /// its calls are not to be counted.
    private func probe() throws -> String? {
        guard Self.isCountable() else { return nil }
        let (program, bare) = (ChildProcess.builtProgram("RingProbe"), "\(directory.path)/RingProbe")
        let said = try output([program, "count", "alpha", "all", "1"], in: directory.path)
        guard said?.contains("build optimised") == true else {
            print(
                "InstructionCountTests: an unoptimised build; its calls are not counted. RINGSIDE_BIN_DIR names an optimised one."
            )
            return nil
        }
        let strip = try ChildProcess(["strip", "--strip-debug", "-o", bare, program])
        try #require(try strip.wait() == .code(0), "strip (Debian: binutils) is needed: \(strip.standardError)")
        return bare
    }

    private static func isCountable() -> Bool {
        #if arch(x86_64)
            if Sources.isInstalled("valgrind") { return true }
            print("InstructionCountTests: nothing is counted without valgrind, which tools/setup --tests installs")
        #else
            print("InstructionCountTests: the bounds are those of x86-64")
        #endif
        return false
    }

    private func output(_ command: [String], in rings: String = "/nonexistent") throws -> String? {
        let child = try ChildProcess(command, environment: ["RINGSIDE_DIR": rings])
        return try child.wait() == .code(0) ? child.standardOutput : nil
    }

    /// Returns the lines of callgrind's file of a run.
    private func profile(_ command: [String]) throws -> [Substring] {
        let file = "\(directory.path)/callgrind"
        let child = try ChildProcess(
            ["valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no"]
                + ["--callgrind-out-file=\(file)"] + command, environment: ["RINGSIDE_DIR": directory.path])
        try #require(try child.wait(limitSeconds: 120) == .code(0), "\(child.standardError)")
        return String(decoding: RingFile(file).bytes(), as: UTF8.self).split(separator: "\n")
    }

    /// Returns the instructions a call for each function of a run, those of its callees included.
    private func counted(_ command: [String]) throws -> [String: Double] {
        var (instructions, calls): ([String: Double], [String: Double]) = ([:], [:])
        var (function, callee) = ("", "")
        for line in try profile(command) {
            if line.hasPrefix("fn=") {
                function = String(line.dropFirst(3))
            } else if line.hasPrefix("cfn=") {
                callee = String(line.dropFirst(4))
            } else if line.hasPrefix("calls=") {
                calls[callee, default: 0] += Double(line.dropFirst(6).prefix { $0 != " " }) ?? 0
            } else if let space = line.firstIndex(of: " "), line.first!.isNumber, !function.isEmpty {
                instructions[function, default: 0] += Double(line[line.index(after: space)...]) ?? 0
            }
        }
        return instructions.merging(calls) { $0 / max(1, $1) }.filter { instructions[$0.key] != nil }
    }
}

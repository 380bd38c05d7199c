import Glibc
import TestSupport
import Testing

/// Tests that the emit path only loads, computes and stores. There are two tests: one runs it where anything else is
/// deadly, and one reads the compiled code.
@Suite struct EmitPathTests {
    private let directory = TemporaryRingDirectory()

    private func emit() throws -> ChildProcess {
        let child = try ChildProcess(
            [ChildProcess.builtProgram("RingProbe"), "emit", "alpha"], environment: ["RINGSIDE_DIR": directory.path])
        try child.wait()
        return child
    }

    @Test("emitting allocates nothing and survives where every system call is deadly")
    func underGuard() throws {
        let child = try emit()
        #expect(try child.wait() == .code(0))
        #expect(child.lines.dropFirst() == ["allocations 0", "forbidden", "survived"], "\(child.standardError)")
    }

    /// For an unoptimised build only the behaviour above is checked, because it calls a function for every accessor.
    @Test("optimised, no emit calls anything outside of it, takes a lock, or counts a reference")
    func machineCode() throws {
        guard try emit().lines.first == "build optimised" else {
            print(
                "EmitPathTests: an unoptimised build; its machine code is not checked. RINGSIDE_BIN_DIR names an optimised one."
            )
            return
        }
        let code = try MachineCode(ofProgram: ChildProcess.builtProgram("RingProbe"))
        let entries = code.functions.keys.filter { $0.hasPrefix("ringside_probe_") }
        #expect(entries.count == 18)
        // If there is no counter, the clock is a call of the vDSO. The sampling draw and the measured work are walked
        // too.
        let clock: Set = ["clock_gettime@plt", "ringside_monotonic_ns"]
        let plain = entries.filter { !$0.contains("throwing") && !$0.contains("span_in_span") }
        let reached = code.walk(from: plain, allowed: clock)
        #expect(reached.forbidden == [])
        // A context is handed to C by its address on the stack, so the compiler compares the guard word behind it.
        let guardWord: Set = ["__stack_chk_fail@plt"]
        #expect(
            code.walk(from: entries.filter { $0.contains("span_in_span") }, allowed: clock.union(guardWord)).forbidden
                == [])
        #expect(reached.functions.isSuperset(of: ["ringside_emit_drawn", "ringside_span_begin_drawn", "probe_work"]))
        // A body that throws uses the calls of every throw in Swift: a hook for debuggers, and a witness table that is
        // kept from the first on.
        let ofAThrow: Set = ["swift_willThrowTypedImpl@plt", "swift_getWitnessTable@plt"]
        #expect(
            code.walk(
                from: entries.filter { $0.contains("throwing") }, allowed: clock.union(ofAThrow).union(guardWord)
            ).forbidden == [])
    }
}

/// A program as objdump(1) shows it: its functions, instruction by instruction.
private struct MachineCode {
    var functions: [String: [Substring]] = [:]

    init(ofProgram path: String) throws {
        let child = try ChildProcess(["objdump", "-d", "--no-show-raw-insn", path])
        try #require(try child.wait() == .code(0), "objdump (Debian: binutils) is needed to read machine code")
        var current = ""
        for line in child.lines {
            if line.hasSuffix(">:"), let start = line.firstIndex(of: "<") {
                current = String(line[line.index(after: start)...].dropLast(2))
            } else if let tab = line.firstIndex(of: "\t") {
                functions[current, default: []].append(line[line.index(after: tab)...])
            }
        }
    }

    /// Follows calls and jumps from `entries`, and lists every instruction that is not a load, a computation or a store
    /// of the path's own.
    func walk(from entries: [String], allowed: Set<String>) -> (functions: Set<String>, forbidden: [String]) {
        var reached = Set(entries)
        var open = entries
        var forbidden: [String] = []
        while let name = open.popLast() {
            for instruction in functions[name] ?? [] {
                switch Step(instruction) {
                case .own: continue
                case .forbidden: forbidden.append("\(name): \(instruction)")
                case .leads(let target) where target == name || allowed.contains(target): continue
                case .leads(let target) where functions[target] != nil && !target.hasSuffix("@plt"):
                    if reached.insert(target).inserted { open.append(target) }
                case .leads(let target): forbidden.append("\(name): calls \(target)")
                }
            }
        }
        return (reached, forbidden)
    }

    private enum Step {
        case own
        case leads(to: String)
        case forbidden

        init(_ instruction: Substring) {
            let words = instruction.split(separator: " ", omittingEmptySubsequences: true)
            let isBranch =
                words.first.map { $0.hasPrefix("call") || $0.hasPrefix("j") || $0 == "bl" || $0 == "b" } ?? false
            let deadly: Set<Substring> = ["syscall", "lock", "mfence", "svc", "int", "sysenter"]
            if words.contains(where: deadly.contains) || words.first == "xchg" && instruction.contains("(") {
                self = .forbidden
            } else if isBranch, let open = instruction.firstIndex(of: "<") {
                let target = instruction[instruction.index(after: open)...].prefix { $0 != ">" && $0 != "+" }
                self = .leads(to: String(target))
            } else {
                self = isBranch ? .forbidden : .own
            }
        }
    }
}

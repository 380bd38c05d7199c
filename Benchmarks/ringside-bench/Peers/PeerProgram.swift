internal import FoundationEssentials
internal import Glibc

/// A program that measures another library: its source, and the way to start it.
struct PeerProgram: Sendable {
    enum Kind: Sendable {
        /// C++, built when it is first needed, linked with these libraries, and started through a script if one is
        /// named.
        case compiled(libraries: [String], launcher: String?)
        /// Python, with this module.
        case interpreted(module: String)
    }

    let name: String
    let kind: Kind

    /// Why a peer takes no part. The run goes on without it, and reports the reason.
    struct Absent: Error {
        let reason: String
    }

    /// Builds the program if needed, and returns the command line without its arguments.
    func prepare(_ sources: PeerSources) throws(Absent) -> [String] {
        switch kind {
        case .compiled(let libraries, let launcher):
            let program = try sources.compiled(name, libraries: libraries)
            return (launcher.map { ["sh", "\(sources.folder)/\($0)"] } ?? []) + [program]
        case .interpreted(let module):
            return [try Self.interpreter(with: module, sources), "-B", "\(sources.folder)/\(name).py"]
        }
    }

    /// Returns an interpreter with a module. Debian's own has Debian's modules, the one that tools/setup makes has
    /// those from PyPI, and another that comes before them in PATH may have others.
    private static func interpreter(with module: String, _ sources: PeerSources) throws(Absent) -> String {
        for interpreter in ["/usr/bin/python3", "\(sources.folder)/../../.build/peers/python/bin/python3", "python3"] {
            if (try? Program.output([interpreter, "-c", "import \(module)"])) != nil { return interpreter }
        }
        throw Absent(reason: "no python3 with \(module); tools/setup --peers installs it")
    }
}

/// A peer that runs and answers.
final class RunningPeer {
    private let process: Program

    /// - Throws: ``PeerProgram/Absent`` if it ends before it is ready.
    init(_ program: PeerProgram, _ sources: PeerSources, counts: PeerCounts) throws(PeerProgram.Absent) {
        let command = try program.prepare(sources)
        let numbers = [Int(Processors.ours ?? -1), Int(Processors.partners ?? -1), counts.loop, counts.paced]
        let errors = "\(sources.cache)/\(program.name).log"
        let absent = { PeerProgram.Absent(reason: lastLine(ofFile: errors) ?? "it does not start") }
        guard let process = try? Program(command + numbers.map(String.init), errorFile: errors) else { throw absent() }
        guard process.nextLine(limitSeconds: 20) == "ready" else {
            process.close()
            throw absent()
        }
        self.process = process
    }

    /// Measures one round. Returns nil if the peer has ended or hangs.
    func round() -> [CallFigures]? {
        process.send("round")
        guard let line = process.nextLine() else { return nil }
        return try? JSONDecoder().decode([CallFigures].self, from: Data(line.utf8))
    }

    /// Ends the peer, which then puts its own files away.
    func end() { process.close() }
}

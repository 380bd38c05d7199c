internal import Glibc

/// The sources of the peer programs, and the folder in which they are built: once, and again if a source is newer.
struct PeerSources: Sendable {
    let folder: String
    let cache: String

    /// The folder of the sources when this program was built.
    static let ownFolder = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Peers"

    init(folder: String) {
        self.folder = folder
        cache = "\(Program.ownFolder)/ringside-bench-peers"
        mkdir(cache, 0o755)
    }

    /// Returns the path of a built program, and builds it if needed.
    ///
    /// - Throws: An error with the compiler's first error, if a library is not installed or there is no compiler.
    func compiled(_ name: String, libraries: [String]) throws(PeerProgram.Absent) -> String {
        let (source, program) = ("\(folder)/\(name).cpp", "\(cache)/\(name)")
        guard let changed = newestChange(of: source) else {
            throw PeerProgram.Absent(reason: "no \(source); name the folder with --sources")
        }
        if let built = changeTime(program), built > changed { return program }
        let command =
            [
                "c++", "-O3", "-march=native", "-std=c++17", "-pthread", "-I", folder, "-I",
                "\(folder)/../CBench/include",
            ]
            + [source, "-o", program] + libraries.map { "-l\($0)" }
        let errors = "\(cache)/\(name).log"
        guard let compiler = try? Program(command, errorFile: errors) else {
            throw PeerProgram.Absent(reason: "no C++ compiler; tools/setup --peers installs it")
        }
        guard compiler.finish().status == 0 else {
            let lines = textFile(errors)?.split(separator: "\n") ?? []
            let error = lines.first { $0.contains("error") } ?? lines.first ?? "the compiler failed"
            throw PeerProgram.Absent(reason: "\(error.drop { $0 == " " })")
        }
        return program
    }

    /// Returns the time of the newest file that a program may include.
    private func newestChange(of source: String) -> Int? {
        guard let own = changeTime(source) else { return nil }
        let headers = ["peer.h", "queue.h", "sketch.h", "lttng_provider.h", "../CBench/include/bench.h"]
        return headers.compactMap { changeTime("\(folder)/\($0)") }.reduce(own, max)
    }

    private func changeTime(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec
    }
}

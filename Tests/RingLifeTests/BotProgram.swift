import Glibc
import TestSupport

/// The C bots of `Bots`, built once with fault points.
enum BotProgram {
    /// The folder of this package.
    static let root: String = {
        let words = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return words.dropLast(3).joined(separator: "/")
    }()

    struct BuildFailed: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts `bot VERB RING WORD...` in a ring directory.
    ///
    /// - Parameters:
    ///   - words: Words of the form `key=value`.
    ///   - fault: `POINT` or `POINT:N` at which it dies, from its start on. A word `fault=` is one from its attach on.
    static func start(
        _ verb: String, _ ring: String = "alpha", _ words: [String] = [], in directory: TemporaryRingDirectory,
        fault: String? = nil
    ) throws -> ChildProcess {
        let environment = fault.map { ["RINGSIDE_FAULT": $0] } ?? [:]
        return try ChildProcess(
            [built.get(), verb, ring] + words,
            environment: environment.merging(["RINGSIDE_DIR": directory.path]) { $1 })
    }

    /// Runs it to its end, and returns how it ended.
    @discardableResult
    static func run(
        _ verb: String, _ ring: String = "alpha", _ words: [String] = [], in directory: TemporaryRingDirectory,
        fault: String? = nil
    ) throws -> ChildProcess.Exit {
        try start(verb, ring, words, in: directory, fault: fault).wait()
    }

    /// The path of the program. It is that of an open file without a name, so that nothing is left behind however the
    /// tests end.
    private static let built = Result { try build() }

    private static func build() throws -> String {
        let folder = TemporaryRingDirectory(under: "/tmp")  // /dev/shm may forbid programs
        let library = "\(root)/Sources/CRingside"
        let sources = try files("\(root)/Tests/RingLifeTests/Bots") + files(library)
        let program = "\(folder.path)/bot"
        let compiler = try ChildProcess(
            ["cc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-DRINGSIDE_FAULT_POINTS"]
                + ["-I\(library)/include"] + sources + ["-o", program])
        guard try compiler.wait(limitSeconds: 300) == .code(0) else {
            throw BuildFailed(description: compiler.standardError)
        }
        let descriptor = open(program, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw BuildFailed(description: "cannot open \(program): errno \(errno)") }
        return "/proc/\(getpid())/fd/\(descriptor)"
    }

    private static func files(_ folder: String) throws -> [String] {
        guard let directory = opendir(folder) else { throw BuildFailed(description: "there is no \(folder)") }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".c") { found.append("\(folder)/\(name)") }
        }
        return found.sorted()
    }
}

extension ChildProcess {
    /// Ends the bot, and returns the number in its line `wrote N enabled E`, if it got as far as that.
    func endAndCount() throws -> (exit: Exit, wrote: UInt64?, isEnabled: Bool) {
        send(SIGTERM)
        let exit = try wait()
        let words = lines.last { $0.hasPrefix("wrote ") }?.split(separator: " ") ?? []
        return (exit, words.count > 1 ? UInt64(words[1]) : nil, words.last == "1")
    }
}

internal import Arguments
internal import Glibc
internal import RingReader

/// The answer to a shell that asks for the candidates at the cursor: `ringside __complete WORD...`. The last word is
/// the word being written.
struct CompletionAnswer {
    private let words: [String]

    /// - Parameter arguments: The command line; nil unless a shell asks.
    init?(_ arguments: [String]) {
        guard arguments.count > 1, arguments[1] == "__complete" else { return nil }
        words = Array(arguments.dropFirst(2))
    }

    /// Writes one candidate a line. A shell shows no error of a completion, so none is written.
    func write(from tool: VerbTable) -> Int32 {
        let candidates = tool.candidates(words) { kind, partial in names(kind, partial) }
        let lines = candidates.map { candidate in
            candidate.text.printable + (candidate.help.isEmpty ? "" : "\t" + candidate.help.printable) + "\n"
        }
        _ = Terminal.write(lines.joined())
        return 0
    }

    private func names(_ kind: ValueKind, _ partial: String) -> [String] {
        switch kind {
        case .bots: Set(rings.map(\.bot)).sorted()
        case .rings: rings.map(\.description)
        case .metrics: metrics
        case .files: entries(partial, areFilesWanted: true)
        case .folders: entries(partial, areFilesWanted: false)
        }
    }

    // MARK: Rings

    /// The directory of --ring-dir on this command line, else the directory that every verb uses.
    private var directory: RingDirectory {
        var path: String?
        for (word, next) in zip(words, words.dropFirst()) where word == "--ring-dir" && next != "=" { path = next }
        for word in words where word.hasPrefix("--ring-dir=") { path = String(word.dropFirst("--ring-dir=".count)) }
        return RingDirectory(path: path)
    }

    private var rings: [RingName] { (try? directory.ringNames()) ?? [] }

    private var metrics: [String] {
        let segments = rings.compactMap { try? Segment(name: $0, path: directory.path(of: $0)) }
        let names = segments.flatMap { segment in
            (0..<segment.metricCount).compactMap { segment.metric($0)?.name }
        }
        return Set(names).sorted()
    }

    // MARK: Files

    /// Returns the entries of the folder that was typed so far. A folder has a slash at its end.
    private func entries(_ partial: String, areFilesWanted: Bool) -> [String] {
        let typed = partial.lastIndex(of: "/").map { String(partial[...$0]) } ?? ""
        guard let folder = opendir(expanded(typed.isEmpty ? "." : typed)) else { return [] }
        defer { closedir(folder) }
        var found: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != "..", !name.hasPrefix(".") || partial.hasPrefix(typed + ".") else { continue }
            var status = stat()
            guard stat(expanded(typed + name), &status) == 0 else { continue }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            if isFolder { found.append("\(typed)\(name)/") } else if areFilesWanted { found.append(typed + name) }
        }
        return found.sorted()
    }

    private func expanded(_ path: String) -> String {
        guard path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}

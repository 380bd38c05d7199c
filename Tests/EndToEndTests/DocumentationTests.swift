import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Tests every page of the project: its links are valid, and its programs compile and run.
    @Suite("The pages") struct Documentation {
        private let folder = TemporaryRingDirectory(under: "/tmp")

        /// The tracked pages, by their paths in the repository.
        private static let pages: [String] = {
            let (_, output, _) =
                (try? run(["git", "-C", repository, "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]))
                ?? (.code(1), "", [])
            return output.split(separator: "\n").map(String.init).filter {
                FileManager.default.fileExists(atPath: "\(repository)/\($0)")
            }
        }()

        private static let catalogs = [
            "Sources/Ringside/Ringside.docc", "Sources/Collector/Collector.docc",
            "Sources/RingsideTool/RingsideTool.docc",
        ]

        private static func text(_ page: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(filePath: "\(repository)/\(page)")), as: UTF8.self)
        }

        /// Returns the fenced blocks of a page in one language; "" is for blocks without one.
        private static func blocks(_ language: String, of page: String) throws -> [String] {
            var blocks: [String] = []
            var lines: [Substring]?
            var isWanted = false
            for line in try text(page).split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("```") {
                    if let done = lines {
                        if isWanted { blocks.append(done.joined(separator: "\n") + "\n") }
                        lines = nil
                    } else {
                        (lines, isWanted) = ([], line.dropFirst(3) == language)
                    }
                } else {
                    lines?.append(line)
                }
            }
            return blocks
        }

        /// Returns the headings of a page as parts of a link after `#`, in GitHub's form.
        private static func anchors(of page: String) throws -> Set<String> {
            let headings = try text(page).split(separator: "\n").filter { $0.hasPrefix("#") }
            return Set(
                headings.map { heading in
                    let words = heading.drop { $0 == "#" }.dropFirst().lowercased()
                    return String(
                        words.compactMap {
                            $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil
                        })
                })
        }

        @Test("every link within the project leads to a file, and to a heading of it", arguments: pages)
        func links(page: String) throws {
            let base = URL(filePath: "\(repository)/\(page)").deletingLastPathComponent().path
            let code = /`[^`]*`/
            let text = try Self.text(page).replacing(code, with: "")
            for match in text.matches(of: /\]\(([^)\s]+)\)/) {
                let target = String(match.1)
                guard !target.contains("://") else { continue }
                let parts = target.split(separator: "#", omittingEmptySubsequences: false)
                let path = parts[0].isEmpty ? "\(repository)/\(page)" : "\(base)/\(parts[0])"
                #expect(FileManager.default.fileExists(atPath: path), "\(page) links to \(target)")
                guard parts.count > 1, path.hasSuffix(".md") else { continue }
                let real = try #require(realpath(path, nil))
                defer { free(real) }
                let inside = String(String(cString: real).dropFirst(repository.count + 1))
                #expect(try Self.anchors(of: inside).contains(String(parts[1])), "\(page) links to \(target)")
            }
        }

        @Test("each catalog converts without a warning", arguments: catalogs)
        func converts(catalog: String) throws {
            let swift = try #require(realpath(try run(["which", "swift"]).output.trimmed, nil))
            defer { free(swift) }
            let docc = URL(filePath: String(cString: swift)).deletingLastPathComponent().path + "/docc"
            let (exit, output, errors) = try run([
                docc, "convert", "\(repository)/\(catalog)", "--output-path", "\(folder.path)/out",
                "--warnings-as-errors",
                "--fallback-display-name", "Ringside", "--fallback-bundle-identifier", "ringside",
            ])
            #expect(exit == .code(0), "\(output) \(errors)")
            #expect(!output.contains("warning") && !errors.contains { $0.contains("warning") }, "\(output) \(errors)")
        }

        @Test("the front page is short")
        func frontPage() throws {
            #expect(try Self.text("README.md").split(separator: "\n", omittingEmptySubsequences: false).count <= 170)
        }

        /// The declarations that the snippets on the pages use.
        private static let context = """
            import Ringside
            struct Tick {}
            struct Order { var slippage = 0.0 }
            struct Strategy: Sendable {
                let exposure = 0.0
                func decide(_ tick: Tick) -> Order { Order() }
            }
            struct Venue: Sendable { func send(_ order: Order) throws {} }
            struct BotConfiguration: Sendable { let venue = "XNAS" }
            let (strategy, venue, configuration) = (Strategy(), Venue(), BotConfiguration())
            func nextTick() -> Tick? { nil }

            """

        @Test("every Swift program on a page passes the compiler", arguments: pages)
        func swiftPrograms(page: String) throws {
            for program in try Self.blocks("swift", of: page) where program.hasPrefix("import ") {
                // A snippet that is a part of a program gets its handle from outside.
                let isPart = !program.contains("let telemetry")
                let handle = isPart ? "nonisolated(unsafe) let telemetry = Telemetry.disabled()\n" : ""
                try write("Context.swift", Self.context + handle)
                try write("main.swift", program)
                let (exit, _, errors) = try run(
                    [
                        "swiftc", "-swift-version", "6", "-typecheck", "-I", "\(ChildProcess.folderOfTests)/Modules",
                        "-Xcc",
                        "-I\(repository)/Sources/CRingside/include", "\(folder.path)/main.swift",
                        "\(folder.path)/Context.swift",
                    ], limitSeconds: 300)
                #expect(exit == .code(0), "\(page): \(errors)")
            }
        }

        @Test(
            "every C program on a page compiles as C and as C++ with every warning an error, and runs",
            arguments: [("cc", "-std=c11", "c"), ("c++", "-std=c++17", "c++")])
        func cPrograms(compiler: String, standard: String, language: String) throws {
            let include = "\(repository)/Sources/CRingside/include"
            let library = try FileManager.default.contentsOfDirectory(atPath: "\(repository)/Sources/CRingside")
                .filter { $0.hasSuffix(".c") }.map { "\(repository)/Sources/CRingside/\($0)" }
            let rings = TemporaryRingDirectory()
            var count = 0
            for page in Self.pages {
                for program in try Self.blocks("c", of: page) where program.contains("int main") {
                    count += 1
                    try write("bot.c", program)
                    let build = try run(
                        [
                            compiler, standard, "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-I\(include)", "-x",
                            language,
                        ]
                            + ["\(folder.path)/bot.c"] + library + ["-lm", "-o", "\(folder.path)/bot"],
                        limitSeconds: 300)
                    #expect(build.exit == .code(0), "\(page): \(build.errors)")
                    let bot = try run(["\(folder.path)/bot"], environment: ["RINGSIDE_DIR": rings.path])
                    #expect(bot.exit == .code(0), "\(page): \(bot.errors)")
                }
            }
            #expect(count >= 2)
            #expect(rings.entries() == ["ringside.gamma"])
        }

        @Test("the front page's configuration is a good one")
        func configuration() throws {
            let example = try #require(try Self.blocks("json5", of: "README.md").first)
            try write("ringside.json5", example)
            let check = try run([
                ChildProcess.builtProgram("ringsided"), "--config", "\(folder.path)/ringside.json5", "--check-config",
            ])
            #expect(check.exit == .code(0), "\(check.output) \(check.errors)")
            // The metric is that of the page's own bot.
            #expect(check.errors.allSatisfy { $0.contains(" waits for the metric decide_seconds") }, "\(check.errors)")
        }

        @Test("every scrape configuration on a page is one to Prometheus itself")
        func scrapeConfigurations() throws {
            var count = 0
            for page in Self.pages {
                for block in try Self.blocks("yaml", of: page) where block.contains("scrape_configs:") {
                    count += 1
                    try write("prometheus.yml", block)
                    let check = try run(["promtool", "check", "config", "\(folder.path)/prometheus.yml"])
                    #expect(check.exit == .code(0), "\(page): \(check.output) \(check.errors)")
                }
            }
            #expect(count >= 2)
        }

        @Test("every command on a page exists, with the options shown", arguments: pages)
        func commands(page: String) throws {
            let texts =
                try Self.blocks("", of: page) + Self.text(page).matches(of: /`(ringsided? [^`]*)`/).map { String($0.1) }
            for line in texts.flatMap({ $0.split(separator: "\n") }) {
                let words = line.prefix { $0 != "#" && $0 != "|" && $0 != "&" && $0 != ">" }.split(separator: " ").map(
                    String.init)
                guard let program = words.first, ["ringside", "ringsided"].contains(program), words.count > 1 else {
                    continue
                }
                let verb = program == "ringside" ? [words[1]] : []
                // `ringside VERB` stands for any verb.
                guard verb.first?.allSatisfy({ $0.isLowercase }) ?? true else { continue }
                let help = try run([ChildProcess.builtProgram(program)] + verb + ["--help"])
                #expect(help.exit == .code(0), "\(page): \(line): \(help.errors)")
                for option in words where option.hasPrefix("--") {
                    let name = option.prefix { $0 != "=" }
                    #expect(help.output.contains(name), "\(page): \(line): no option \(name)")
                }
            }
        }

        private func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/\(name)"))
        }
    }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed()) }
}

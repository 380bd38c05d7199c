import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The package") struct Package {
        private let outputs = TemporaryRingDirectory(under: "/tmp")

        private struct Dependencies: Decodable {
            let identity: String
            let dependencies: [Dependencies]
        }

        @Test("it depends on no other package")
        func dependencies() throws {
            let (exit, output, errors) = try run([
                "swift", "package", "--package-path", repository, "--scratch-path", "\(outputs.path)/scratch",
                "show-dependencies", "--format", "json",
            ])
            try #require(exit == .code(0), "\(errors)")
            let root = try JSONDecoder().decode(Dependencies.self, from: Data(output.utf8))
            #expect(root.dependencies.map(\.identity) == [])
        }

        @Test("its top level has the designed folders, and nothing else")
        func topLevel() throws {
            let (exit, output, errors) = try run(["git", "-C", repository, "ls-files"])
            try #require(exit == .code(0), "\(errors)")
            let entries = Set(output.split(separator: "\n").map { String($0.prefix { $0 != "/" }) })
            let named: Set = ["Package.swift", "Sources", "Tests", "Benchmarks", "tools", "README.md"]
            #expect(entries.isSuperset(of: ["Package.swift", "Sources", "Tests"]))
            #expect(entries.filter { !$0.hasPrefix(".") && !named.contains($0) } == [])
        }

        @Test(
            "the front page's bot builds outside against the library alone, where the collector's C libraries are not installed"
        )
        func bot() throws {
            let blocks = try readmeBlocks()
            let package = try #require(blocks.first { $0.hasPrefix("// swift-tools-version") })
            let program = try #require(blocks.first { $0.hasPrefix("import Ringside") })
            try write("Package.swift", package.replacing("../ringside", with: repository))
            try write("Sources/bot/main.swift", program)
            // pkg-config finds nothing, as on a machine without any of the libraries.
            try write("pkgconfig/none", "")
            let build = try run(
                ["swift", "build", "--package-path", outputs.path],
                environment: ["PKG_CONFIG_LIBDIR": "\(outputs.path)/pkgconfig"],
                limitSeconds: 600)
            try #require(build.exit == .code(0), "\(build.output) \(build.errors)")
            let bot = "\(outputs.path)/.build/debug/bot"
            let libraries = try run(["ldd", bot])
            #expect(libraries.exit == .code(0))
            #expect(libraries.output.contains("libc.so"))
            for library in ["libmicrohttpd", "libcurl", "libsqlite3", "libz.", "libFoundation"] {
                #expect(!libraries.output.contains(library))
            }
            let rings = TemporaryRingDirectory()
            let ran = try run([bot], environment: ["RINGSIDE_DIR": rings.path])
            #expect(ran.exit == .code(0) && ran.output.isEmpty && ran.errors.isEmpty, "\(ran.output) \(ran.errors)")
            #expect(rings.entries() == ["ringside.alpha"])
        }

        private func readmeBlocks() throws -> [String] {
            let readme = try Data(contentsOf: URL(filePath: "\(repository)/README.md"))
            return String(decoding: readme, as: UTF8.self).split(separator: "```swift\n").dropFirst().compactMap {
                $0.split(separator: "\n```").first.map { $0 + "\n" }
            }
        }

        private func write(_ path: String, _ text: String) throws {
            let file = URL(filePath: "\(outputs.path)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }
}

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

        @Test("its top level holds what the design names, and nothing else")
        func topLevel() throws {
            let (exit, output, errors) = try run(["git", "-C", repository, "ls-files"])
            try #require(exit == .code(0), "\(errors)")
            let entries = Set(output.split(separator: "\n").map { String($0.prefix { $0 != "/" }) })
            let named: Set = ["Package.swift", "Sources", "Tests", "Benchmarks", "tools", "README.md"]
            #expect(entries.isSuperset(of: ["Package.swift", "Sources", "Tests"]))
            #expect(entries.filter { !$0.hasPrefix(".") && !named.contains($0) } == [])
        }

        @Test("a bot outside builds against the library alone, where the collector's C libraries are not installed")
        func bot() throws {
            try write(
                "Package.swift",
                """
                // swift-tools-version: 6.2
                import PackageDescription

                let package = Package(
                    name: "bot",
                    dependencies: [.package(name: "Ringside", path: "\(repository)")],
                    targets: [
                        .executableTarget(name: "bot", dependencies: [.product(name: "Ringside", package: "Ringside")])
                    ])
                """)
            try write(
                "Sources/bot/main.swift",
                """
                import Ringside

                let telemetry = try Telemetry.attach("outsider", options: AttachOptions())
                try telemetry.counter("orders_total", help: "Orders.").increment()
                print("counted")
                """)
            // pkg-config finds nothing: as on a machine without any of the libraries.
            try write("pkgconfig/none", "")
            let build = try run(
                ["swift", "build", "--package-path", outputs.path],
                environment: ["PKG_CONFIG_LIBDIR": "\(outputs.path)/pkgconfig"],
                limitSeconds: 600)
            try #require(build.exit == .code(0), "\(build.output) \(build.errors)")
            let program = "\(outputs.path)/.build/debug/bot"
            let libraries = try run(["ldd", program])
            #expect(libraries.exit == .code(0))
            #expect(libraries.output.contains("libc.so"))
            for library in ["libmicrohttpd", "libcurl", "libsqlite3", "libz.", "libFoundation"] {
                #expect(!libraries.output.contains(library))
            }
            let rings = TemporaryRingDirectory()
            let bot = try run([program], environment: ["RINGSIDE_DIR": rings.path])
            #expect(bot.exit == .code(0))
            #expect(bot.output == "counted\n")
            #expect(rings.entries() == ["ringside.outsider"])
        }

        private func write(_ path: String, _ text: String) throws {
            let file = URL(filePath: "\(outputs.path)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }
}

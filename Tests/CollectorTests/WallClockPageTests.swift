import Platform
import FoundationEssentials
import Testing

@Suite("The page on the wall clock") struct WallClockPageTests {
    private static let sources: String = {
        let words = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return words.dropLast(3).joined(separator: "/") + "/Sources"
    }()
    private static let uses = ["unix()", "unixNow()", "CLOCK_REALTIME", "time(nil)", "gettimeofday(", "st_mtim"]

    @Test("names every file that reads the wall clock, or its folder")
    func files() throws {
        let page = try String(contentsOfFile: "\(Self.sources)/Collector/Collector.docc/WallClock.md", encoding: .utf8)
        var users: [String] = []
        for file in try FileManager.default.subpathsOfDirectory(atPath: Self.sources)
        where file.hasSuffix(".swift") || file.hasSuffix(".c") {
            let text = try String(contentsOfFile: "\(Self.sources)/\(file)", encoding: .utf8)
            let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            if code.contains(where: { line in Self.uses.contains { line.contains($0) } }) { users.append(file) }
        }
        #expect(users.count > 10)
        for file in users {
            let parts = file.split(separator: "/")
            let isNamed = page.contains(parts.last!) || page.contains("`\(parts.dropLast().joined(separator: "/"))`")
            #expect(isNamed, "\(file) reads the wall clock and is not in WallClock.md")
        }
    }
}

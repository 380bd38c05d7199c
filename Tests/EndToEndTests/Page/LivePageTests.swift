import TestSupport
import Testing

extension EndToEnd {
    /// Tests the page at `/` in headless Chromium. `page.py` starts a collector and bots of its own, and kills and
    /// restarts them.
    ///
    /// `RINGSIDE_PAGE_PICTURE` in the environment names a file for the picture that the README shows.
    @Suite("The live page") struct LivePage {
        @Test(
            """
            figures equal the snapshot, and live update, filter, pause, ranges, comparison, keys, names, contrast, hostile texts, \
            2,000 series and a collector that comes back work
            """)
        func page() throws {
            let picture = environment("RINGSIDE_PAGE_PICTURE").map { ["--picture", $0] } ?? []
            let folder = ChildProcess.builtProgram("ringsided").split(separator: "/").dropLast()
                .reduce(into: "") { $0 += "/\($1)" }
            let script = "\(repository)/Tests/EndToEndTests/Page/page.py"
            let (exit, output, errors) = try run([Python.path, "-B", script, folder] + picture, limitSeconds: 600)
            let lines = output.split(separator: "\n")
            for line in lines where !line.hasPrefix("ok ") { Issue.record("\(line)") }
            #expect(exit == .code(0), "\(errors.suffix(5))")
            #expect(lines.count >= 14, "\(output)")
            print(output)
        }
    }
}

import TestSupport
import Testing

extension EndToEnd {
    /// Tests the demo's page with buttons in headless Chromium. `demo_page.py` starts a collector and the demo, presses
    /// each button and looks for its effect in the collector's figures.
    @Suite("The demo's page with buttons") struct DemoPage {
        @Test("each button moves the figure that it names, and requests from elsewhere move nothing")
        func page() throws {
            let folder = ChildProcess.builtProgram("ringsided").split(separator: "/").dropLast()
                .reduce(into: "") { $0 += "/\($1)" }
            let script = "\(repository)/Tests/EndToEndTests/Page/demo_page.py"
            let (exit, output, errors) = try run([Python.path, "-B", script, folder], limitSeconds: 600)
            let lines = output.split(separator: "\n")
            for line in lines where !line.hasPrefix("ok ") { Issue.record("\(line)") }
            #expect(exit == .code(0), "\(errors.suffix(5))")
            #expect(lines.count == 9, "\(output)")
        }
    }
}

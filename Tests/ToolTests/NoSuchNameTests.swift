import Glibc
import TestSupport
import Testing

/// Tests the answer to a name that does not exist: the existing names, and the nearest of them.
@Suite struct NoSuchNameTests {
    private let directory = TemporaryRingDirectory()
    private let folder = TemporaryRingDirectory(under: "/tmp")

    private static let snapshot = """
        {"time":1.5,"bots":[
          {"bot":"alpha","up":true,"labels":{},"rings":[],"metrics":[
            {"name":"order_seconds","kind":"histogram","unit":"seconds","labels":{},"calls":0,"count":0,"windows":{}}]},
          {"bot":"beta","up":true,"labels":{},"rings":[],"metrics":[]}],"slo":[],"alerts":[]}
        """

    /// Runs the tool in the folder with the captures.
    private func run(_ arguments: [String]) throws -> Tool {
        let child = try ChildProcess(
            ["sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path, ChildProcess.builtProgram("ringside")] + arguments,
            environment: ["RINGSIDE_DIR": directory.path])
        let exit = try child.wait()
        return Tool(exit: exit, output: child.standardOutput, errors: child.standardError)
    }

    private func makeCapture() throws {
        try withTradingRing("alpha", in: directory)
        try withTradingRing("beta.md", in: directory)
        #expect(try run(["capture", "alpha", "-o", "incident.capture"]).exit == .code(0))
    }

    @Test(
        "replay of a name says that neither a capture nor a ring has it, where it looked, and which is the nearest",
        arguments: [
            ("nosuch", ". There are alpha, beta.md, incident.capture"),
            ("incidnet", "; did you mean 'incident.capture'? There are alpha, beta.md, incident.capture"),
            ("incident", "; did you mean 'incident.capture'? There are alpha, beta.md, incident.capture"),
            ("alhpa", "; did you mean 'alpha'? There are alpha, beta.md, incident.capture"),
        ])
    func replayOfName(name: String, end: String) throws {
        try makeCapture()
        let tool = try run(["replay", name])
        #expect(tool.exit == .code(1) && tool.output == "")
        #expect(
            tool.errors == "ringside replay: there is no capture file or ring '\(name)': no file \(name).capture in "
                + "\(folder.path), and no ring \(directory.path)/ringside.\(name)\(end)\n")
    }

    @Test("replay of a ring says how a capture of it is made")
    func replayOfRing() throws {
        try makeCapture()
        #expect(try run(["replay", "alpha"]).errors.contains("alpha is a ring; 'ringside capture alpha' makes"))
        #expect(try run(["replay", "beta"]).errors.contains("beta has the rings beta.md; 'ringside capture beta.md'"))
    }

    @Test(
        "a file of this folder that is named without a / is told how to name it", arguments: ["replay", "dump", "tail"])
    func fileAsName(verb: String) throws {
        RingFile.make("\(folder.path)/old", [1, 2, 3])
        let refused = try run([verb, "old"])
        #expect(refused.exit == .code(1) && refused.output == "")
        #expect(
            refused.errors == "ringside \(verb): old is no ring, but a file of this folder: name it ./old\n")
    }

    @Test("a missing file is answered with the captures that exist", arguments: ["replay", "dump", "tail"])
    func file(verb: String) throws {
        let empty = try run([verb, "./none.capture"])
        #expect(empty.exit == .code(1) && empty.errors.contains("there is no file none.capture in ., nor any capture"))
        try makeCapture()
        for path in ["incidnt.capture", "./incidnt.capture", "\(folder.path)/incidnt.capture"] {
            let tool = try run([verb, path])
            let right = path.replacing("incidnt", with: "incident")
            #expect(tool.exit == .code(1) && tool.output == "")
            #expect(tool.errors.contains("did you mean '\(right)'? There is \(right)\n"), "\(tool.errors)")
        }
    }

    @Test(
        "top says that no bot or histogram has the name, and shows no empty table",
        arguments: [
            (["--bot", "nosuch"], "knows no bot 'nosuch'. There are alpha, beta"),
            (["--bot", "alhpa"], "knows no bot 'alhpa'; did you mean 'alpha'? There are alpha, beta"),
            (
                ["--bot", "x", "--bot", "btea"],
                "knows no bot 'x' or 'btea'; did you mean 'beta'? There are alpha, beta"
            ),
            (["--metric", "ordr_seconds"], "did you mean 'order_seconds'? There is order_seconds"),
            (["--bot", "beta", "--metric", "order"], "has 'order' in its name, nor is there any other"),
        ])
    func top(arguments: [String], words: String) throws {
        let server = try CannedServer(body: Self.snapshot)
        let tool = try Tool.run(["top", "--collector", server.url, "--duration", "0.2"] + arguments)
        #expect(tool.exit == .code(1) && tool.output == "")
        #expect(tool.errors.contains(words) && tool.errors.contains(server.url), "\(tool.errors)")
    }

    @Test("top shows the bots that exist and names those that do not, once")
    func someBots() throws {
        let server = try CannedServer(body: Self.snapshot)
        let tool = try Tool.run(
            "top", "--collector", server.url, "--duration", "0.2", "--interval", "100ms", "--bot", "alpha", "--bot", "x"
        )
        #expect(tool.exit == .code(0) && tool.output.contains("\nalpha") && !tool.output.contains("beta"))
        #expect(tool.errors == "ringside top: \(server.url) knows no bot 'x'\n")
    }

    @Test("control names the rings and the metrics that there are, and the nearest")
    func control() throws {
        try makeCapture()
        let ring = try run(["control", "alhpa", "--disable"])
        #expect(ring.exit == .code(1) && ring.errors.contains("did you mean 'alpha'? There are alpha, beta.md"))
        let metric = try run(["control", "alpha", "--metric", "decide_second", "--disable"])
        #expect(metric.exit == .code(1))
        #expect(
            metric.errors.contains("no metric decide_second; did you mean 'decide_seconds'? There are decide_seconds,"))
        let labels = try run(["control", "alpha", "--metric", "ticks_total{symbol=ETH}", "--disable"])
        #expect(
            labels.errors.contains("no metric ticks_total{symbol=ETH}. There is ticks_total{symbol=\"BTC-USDT\"}\n"))
    }
}

import TestSupport
import Testing

/// Tests the tables of a report, from a snapshot with known numbers.
@Suite struct ReportTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")

    private func report(_ more: String...) throws -> [[String]] {
        let path = "\(folder.path)/dump.json"
        let snapshot = """
            {"time":1700000000,"bots":[{"bot":"alpha","up":true,"labels":{"version":"2"},
              "rings":[{"lane":"","position":12,"drained":9,"backlog":1,"lost":{"lapped":2,"corrupt":0}}],
              "metrics":[
                {"name":"order_seconds","kind":"histogram","unit":"seconds","labels":{},"calls":5,"count":4,"sum":0.5,
                 "min":2e-7,"max":0.25,"p50":0.00002,"p95":0.0031,"p99":0.1,"p999":0.2},
                {"name":"slippage","kind":"histogram","unit":"bps","labels":{},"calls":2,"count":2,"sum":3,
                 "min":-1,"max":4,"p50":1.5,"p95":2,"p99":3,"p999":3.5},
                {"name":"exposure","kind":"gauge","unit":"usd","labels":{},"lane":"","value":-12.5,"max":20},
                {"name":"age_seconds","kind":"gauge","unit":"seconds","labels":{},"lane":"","value":0.5,"max":2},
                {"name":"fills_total","kind":"counter","unit":"","labels":{},"value":7,"rate":1.25}],
              "levels":[\(level("fills_total", "rate", "low")),\(level("order_seconds", "p99", "usual")),
                \(level("order_seconds", "p50", "high"))]}],
             "slo":[],"alerts":[]}
            """
        RingFile.make(path, Array(snapshot.utf8))
        let tool = try Tool.run(["report", path] + more)
        #expect(tool.exit == .code(0) && tool.errors == "")
        // Columns are separated by two blanks or more.
        return tool.output.split(separator: "\n").map { line in
            line.split(separator: /\ {2,}/).map(String.init)
        }
    }

    @Test("percentiles and extremes come first, each value has its unit, and the mean is shown where it is asked for")
    func percentiles() throws {
        let lines = try report()
        #expect(lines.contains(["INSTRUMENT", "P50", "P95", "P99", "P99.9", "MAX", "MIN", "VALUES", "CALLS"]))
        #expect(
            lines.contains([
                "order_seconds", "20.000 us", "3.100000 ms", "100.000000 ms", "200.000000 ms", "250.000000 ms",
                "200.0 ns",
                "4", "5",
            ]))
        #expect(lines.contains(["slippage", "1.5 bps", "2 bps", "3 bps", "3.5 bps", "4 bps", "-1 bps", "2", "2"]))
        let means = try report("--mean")
        #expect(means.contains(["INSTRUMENT", "P50", "P95", "P99", "P99.9", "MAX", "MIN", "MEAN", "VALUES", "CALLS"]))
        #expect(means.contains { $0.first == "order_seconds" && $0.dropFirst(7) == ["125.000000 ms", "4", "5"] })
        #expect(means.contains { $0.first == "slippage" && $0.dropFirst(7) == ["1.5 bps", "2", "2"] })
    }

    private func level(_ metric: String, _ statistic: String, _ state: String) -> String {
        """
        {"metric":"\(metric)","labels":{"k":"v"},"lane":"","statistic":"\(statistic)",
         "unit":"\(metric.hasSuffix("seconds") ? "seconds" : "")","state":"\(state)","since":1699999400,"value":0.25,
         "usual":3,"usual_low":2,"usual_high":4,"basis":"\(state == "high" ? "recent" : "time_of_day")","days":5,
         "readings":60,"readings_needed":30}
        """
    }

    @Test("levels that are unusual are listed with what is usual and since when, and the others are not")
    func levels() throws {
        let lines = try report()
        #expect(
            lines.contains(["INSTRUMENT", "LANE", "STATISTIC", "STATE", "SINCE", "VALUE", "USUAL FROM", "TO", "BY"]))
        #expect(
            lines.filter { $0.first?.hasSuffix("{k=v}") == true } == [
                ["fills_total{k=v}", "rate", "low", "10m00s", "0.3/s", "2.0/s", "4.0/s", "5 days"],
                [
                    "order_seconds{k=v}", "p50", "high", "10m00s", "250.000000 ms", "2.000000000 s", "4.000000000 s",
                    "the last hour",
                ],
            ], "\(lines)")
        let json = try Tool.run(["report", "\(folder.path)/dump.json", "--format", "json"]).output
        #expect(json.contains("\"unusual_levels\":[{\"metric\":\"fills_total\""))
    }

    @Test("gauges and counters have their units, and the counts of rings say that they are of records")
    func values() throws {
        let lines = try report()
        #expect(lines.contains(["Bot alpha, up: version=2; rings, in records"]))
        #expect(lines.contains(["LANE", "WRITTEN", "DRAINED", "BACKLOG", "LOST", "REASONS"]))
        #expect(lines.contains(["-", "12", "9", "1", "2", "lapped 2"]))
        #expect(lines.contains(["INSTRUMENT", "KIND", "LANE", "VALUE", "MAX", "PER S"]))
        #expect(lines.contains(["exposure", "gauge", "-12.5 usd", "20 usd"]))
        #expect(lines.contains(["age_seconds", "gauge", "500.000000 ms", "2.000000000 s"]))
        #expect(lines.contains(["fills_total", "counter", "7", "1.3"]))
    }

    /// Two instruments over three symbols and two bots, in an order that fits no figure.
    private static let symbols = """
        {"time":1700000000,"slo":[],"alerts":[],"bots":[
          {"bot":"alpha","up":true,"labels":{},"rings":[],"metrics":[
            {"name":"ack_seconds","kind":"histogram","unit":"seconds","labels":{"symbol":"AAPL","venue":"X"},"calls":1,
             "count":1,"p50":0.1,"p95":0.2,"p99":0.3,"p999":0.4,"max":0.9,
             "windows":{"5s":{"count":1,"rate":2,"lost":0,"complete":true,"p50":0.1,"p95":0.2,"p99":0.5,"p999":0.6,"max":0.6}}},
            {"name":"ack_seconds","kind":"histogram","unit":"seconds","labels":{"symbol":"MSFT","venue":"X"},"calls":1,
             "count":1,"p50":0.1,"p95":0.2,"p99":0.7,"p999":0.8,"max":0.8,
             "windows":{"5s":{"count":1,"rate":9,"lost":0,"complete":true,"p50":0.1,"p95":0.2,"p99":0.4,"p999":0.6,"max":0.7}}},
            {"name":"other_seconds","kind":"histogram","unit":"seconds","labels":{},"calls":1,"count":1,"p99":99,
             "windows":{"5s":{"count":1,"rate":1,"lost":0,"complete":true,"p50":99,"p95":99,"p99":99,"p999":99,"max":99}}}]},
          {"bot":"beta","up":true,"labels":{},"rings":[],"metrics":[
            {"name":"ack_seconds","kind":"histogram","unit":"seconds","labels":{"symbol":"NVDA","venue":"X"},"calls":1,
             "count":1,"p50":0.1,"p95":0.2,"p99":0.5,"p999":0.6,"max":0.6,
             "windows":{"5s":{"count":1,"rate":5,"lost":0,"complete":true,"p50":0.1,"p95":0.2,"p99":0.9,"p999":0.9,"max":0.9}}},
            {"name":"age_seconds","kind":"histogram","unit":"seconds","labels":{"symbol":"NVDA"},"calls":0,"count":0,
             "windows":{"5s":{}}},
            {"name":"slip","kind":"histogram","unit":"bps","labels":{"symbol":"NVDA"},"calls":1,"count":1,"p99":-3,
             "windows":{"5s":{"count":1,"rate":5,"lost":0,"complete":true,"p50":-3,"p95":-3,"p99":-3,"p999":-3,"max":-3}}}]}]}
        """

    @Test("report ranks the series of each instrument by p99 under the label that it is told")
    func rankedReport() throws {
        let path = "\(folder.path)/symbols.json"
        RingFile.make(path, Array(Self.symbols.utf8))
        let tool = try Tool.run("report", path, "--by", "symbol")
        #expect(tool.exit == .code(0) && tool.output.contains("Slowest by symbol, by p99\nSYMBOL"))
        let ranked = tool.output.split(separator: "\n").prefix { !$0.hasPrefix("Bot ") }.dropFirst(3)
        let rows = ranked.map { $0.split(separator: /\ {2,}/).prefix(3).joined(separator: "|") }
        #expect(rows == ["MSFT|alpha|ack X", "NVDA|beta|ack X", "AAPL|alpha|ack X", "NVDA|beta|age", "NVDA|beta|slip"])
        let none = try Tool.run("report", path, "--by", "symbl")
        #expect(none.exit == .code(1) && none.output == "")
        #expect(
            none.errors.contains("no histogram of the report's bots has the label 'symbl'; did you mean 'symbol'?"),
            "\(none.errors)")
        #expect(try Tool.run("report", path, "--by", "symbol", "--format", "json").exit == .code(2))
    }

    @Test(
        "top ranks by the window's figures, by label within an instrument or over all of one unit",
        arguments: [
            (["--by", "symbol"], ["NVDA beta", "AAPL alpha", "MSFT alpha", "NVDA beta"]),
            (["--by", "symbol", "--sort", "rate"], ["MSFT alpha", "NVDA beta", "AAPL alpha", "NVDA beta"]),
            (["--sort", "p99"], ["alpha other", "beta ack", "alpha ack", "alpha ack", "beta slip"]),
            (["--sort", "max", "--metric", "ack"], ["beta ack NVDA", "alpha ack MSFT", "alpha ack AAPL"]),
        ])
    func rankedTop(arguments: [String], rows: [String]) throws {
        let server = try CannedServer(body: Self.symbols)
        let tool = try Tool.run(
            ["top", "--collector", server.url, "--duration", "0.2", "--interval", "100ms"] + arguments)
        #expect(tool.exit == .code(0), "\(tool.errors)")
        let screen = tool.output.split(separator: "\n\n")[1].split(separator: "\n").dropFirst()
        #expect(screen.count == rows.count)
        for (line, row) in zip(screen, rows) {
            let words = line.split(separator: " ").joined(separator: " ")
            #expect(words.hasPrefix(row), "\(line)")
        }
    }

    @Test("a file that is not a dump is named in the error")
    func noDump() throws {
        RingFile.make("\(folder.path)/other.json", Array("{}".utf8))
        let tool = try Tool.run("report", "\(folder.path)/other.json")
        #expect(tool.exit == .code(1) && tool.output == "")
        #expect(tool.errors.contains("\(folder.path)/other.json gave no snapshot"))
    }
}

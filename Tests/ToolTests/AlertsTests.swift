import TestSupport
import Testing

/// The output of `ringside alerts`.
@Suite struct AlertsTests {
    private let latest = """
        {"time":1700003600,"bots":[],"slo":[],"alerts":[
          {"id":"slow/a","alert":"slow","bot":"a","severity":"P1","state":"pending","condition":"x > 1 for 60 s",
           "value":2.5,"unit":"seconds","labels":{"venue":"V","desk":"D"},"since":1700003570,"unknown_since":null,"silenced":false,
           "silenced_until":null},
          {"id":"down/b","alert":"down","bot":"b","severity":"P0","state":"firing","condition":"y > 0","value":null,
           "value_text":"+Inf","labels":{},"since":1700000000,"unknown_since":1700003500,"silenced":true,
           "silenced_until":1700007200.5}],
         "silences":[{"id":12,"alert":"do*","bot":"*","reason":"two\\nlines","since":1700000000,"until":1700007200.5}],
         "waiting":[{"kind":"alert","name":"deep","metric":"deptj","nearest":"depth","reason":"waits for this metric"}]}
        """

    @Test("the table shows what fires, waits, is unknown and is silenced, with times for people")
    func table() throws {
        let server = try CannedServer(body: latest)
        let tool = try Tool.run("alerts", "--collector", server.url)
        #expect(tool.exit == .code(0) && tool.errors == "")
        let lines = tool.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
        #expect(lines.count == 10, "\(tool.output)")
        #expect(
            words(lines[1]) == [
                "down/b", "P0", "fires", "1h00m", "1m40s", "2023-11-15T00:13:20Z", "+Inf", "y", ">", "0",
            ], "\(lines[1])")
        #expect(
            words(lines[2]) == [
                "slow/a", "P1", "waits", "30s", "-", "-", "2.500000000", "s", "x", ">", "1", "for", "60", "s",
                "{desk=D,venue=V}",
            ], "\(lines[2])")
        #expect(words(lines[4]) == ["SILENCE", "ALERT", "BOT", "UNTIL", "REASON"])
        #expect(words(lines[5]).prefix(4) == ["12", "do*", "*", "2023-11-15T00:13:20Z"] && lines[5].contains("lines"))
        #expect(lines[7].hasPrefix("NOTHING TO JUDGE") && lines[8].hasPrefix("alert deep"), "\(tool.output)")
        #expect(lines[8].hasSuffix("waits for this metric; did you mean depth?"))
    }

    @Test(
        "a duration just below a unit is shown in that unit, with as many digits",
        arguments: [
            ("0.0009999999", "1.000000 ms"), ("9.99999e-7", "1.000 us"), ("0.99999999999", "1.000000000 s"),
            ("0.0009999994", "999.999 us"),
        ])
    func duration(value: String, shown: String) throws {
        let body = latest.replacing("\"value\":2.5", with: "\"value\":\(value)")
        let server = try CannedServer(body: body)
        let tool = try Tool.run("alerts", "--collector", server.url)
        #expect(tool.output.contains(" \(shown) "), "\(tool.output)")
    }

    @Test("JSON has the alerts and the silences as the collector reports them")
    func json() throws {
        let server = try CannedServer(body: latest)
        let tool = try Tool.run("alerts", "--collector", server.url, "--format", "json")
        for part in [
            "\"id\":\"down/b\"", "\"value\":null,\"value_text\":\"+Inf\"", "\"unknown_since\":1700003500.0",
            "\"silenced\":true,\"silenced_until\":1700007200.5", "\"labels\":{\"desk\":\"D\",\"venue\":\"V\"}",
            "\"silences\":[{\"id\":12,\"alert\":\"do*\",\"bot\":\"*\",\"reason\":\"two\\nlines\"",
        ] {
            #expect(tool.output.contains(part), "\(part) is not in \(tool.output)")
        }
    }

    @Test(
        "a collector that does not answer, or has no such list, is an error that says so",
        arguments: [("{\"time\":1,\"alerts\":[]}", "older ringsided"), ("<html>", "older ringsided")])
    func unreadable(body: String, said: String) throws {
        let server = try CannedServer(body: body)
        for words in [[], ["--history"]] as [[String]] {
            let tool = try Tool.run(["alerts", "--collector", server.url] + words)
            #expect(tool.exit == .code(1) && tool.output == "" && tool.errors.contains(said), "\(tool.errors)")
        }
        let tool = try Tool.run("alerts", "--collector", "http://127.0.0.1:1")
        #expect(tool.exit == .code(1) && tool.errors.contains("http://127.0.0.1:1"))
    }

    @Test("past alerts are shown with their beginning, end and reason, and how many are left out")
    func past() throws {
        let body = """
            {"alerts":[
              {"id":"slow/a","alert":"slow","bot":"a","severity":"P1","condition":"x > 1","value":null,"began":1700003600,
               "ended":null,"reason":""},
              {"id":"down/b","alert":"down","bot":"b","severity":"P0","condition":"y > 0","value":3,"began":1700000000,
               "ended":1700000090.25,"reason":"an operator resolved it"}],"left_out":4}
            """
        let server = try CannedServer(body: body)
        let tool = try Tool.run("alerts", "--history", "--collector", server.url)
        let lines = tool.output.split(separator: "\n").map(String.init)
        #expect(tool.exit == .code(0) && lines.count == 4, "\(tool.output)\(tool.errors)")
        let rows = lines.map { $0.split(separator: " ").map(String.init) }
        #expect(rows[1] == ["2023-11-14T23:13:20Z", "fires", "-", "slow/a", "P1", "-", "-"])
        #expect(rows[2].prefix(6) == ["2023-11-14T22:13:20Z", "2023-11-14T22:14:50Z", "1m30s", "down/b", "P0", "3"])
        #expect(lines[2].hasSuffix("an operator resolved it") && lines[3].hasPrefix("4 older ones are left out"))
    }
}

import FoundationEssentials
import Testing

@testable import RingsideTool

/// Tests what `ringside top` shows on a terminal, without one.
@Suite struct TopScreenTests {
    private struct Series {
        var bot = "alpha"
        var name = "decide_seconds"
        var unit = "seconds"
        var labels: [String: String] = [:]
        var p50 = 2e-6
        var lost = 0
        var complete = true
    }

    /// Returns the view of a collector with these histograms, each of whose percentiles is ten times the one before.
    private func view(_ series: [Series], bots: [String]? = nil) throws -> CollectorView {
        func text(_ series: Series) throws -> String {
            let labels = String(decoding: try JSONEncoder().encode(series.labels), as: UTF8.self)
            let name = String(decoding: try JSONEncoder().encode([series.name]), as: UTF8.self).dropFirst().dropLast()
            let figures = zip(["p50", "p95", "p99", "p999", "max"], [1, 10, 100, 1000, 2000] as [Double])
                .map { "\"\($0)\":\(series.p50 * $1)" }.joined(separator: ",")
            let window = """
                {"count":5,"rate":12.5,"lost":\(series.lost),"complete":\(series.complete),\(figures)}
                """
            return """
                {"name":\(name),"kind":"histogram","unit":"\(series.unit)","labels":\(labels),
                "windows":{"1s":\(window),"5s":\(window),"1m":\(window)}}
                """
        }
        let names = bots ?? Array(Set(series.map(\.bot))).sorted()
        let all = try names.map { bot in
            let metrics = try series.filter { $0.bot == bot }.map(text).joined(separator: ",")
            return """
                {"bot":"\(bot)","up":true,"state":"up","labels":{},"rings":[],"metrics":[\(metrics)]}
                """
        }
        let json = "{\"time\":1.5,\"bots\":[\(all.joined(separator: ","))],\"slo\":[],\"alerts\":[]}"
        return try CollectorView(json: Array(json.utf8), source: "test")
    }

    private func frame(
        _ view: CollectorView, _ state: TopState = TopState(window: .fiveSeconds, sort: nil), rows: Int = 24,
        columns: Int = 80, silence: String? = nil, scales: [String: FigureScale] = [:]
    ) -> TopFrame {
        let choice = TopChoice(bots: [], metric: "", place: "http://127.0.0.1:8000")
        let content = TopFrame.Content(
            view: view, rates: [:], place: choice.place, clock: "14:03:59", silence: silence,
            rows: TopRows(choice: choice, label: ""), scales: scales)
        return TopFrame(state, content, rows: rows, columns: columns)
    }

    private func pressed(_ keys: [TopKey], page: Int = 10, count: Int = 30) -> TopState {
        var state = TopState(window: .fiveSeconds, sort: nil)
        for key in keys { state.press(key, page: page, count: count) }
        return state
    }

    private func text(_ frame: TopFrame) -> String { frame.lines.map(\.text).joined(separator: "\n") }

    @Test("no frame is higher or wider than the screen, whatever its size and the names on it")
    func fits() throws {
        let names = [
            "decide_seconds", "订单延迟_seconds", "e\u{301}te\u{301}_seconds", "a👩‍👩‍👧‍👦b", String(repeating: "n", count: 200),
        ]
        let series = (0..<40).map { number in
            Series(
                bot: "bot\(number % 7)\(names[number % 5])", name: names[number % 5],
                unit: ["seconds", "bytes", "bps", ""][number % 4], labels: ["venue": "X\(number)"],
                p50: [1e-9, 3.5, 1e12, -0.2][number / 4 % 4], lost: number % 9 == 0 ? 3 : 0, complete: number % 5 != 0)
        }
        let view = try view(series)
        for rows in [0, 1, 2, 3, 5, 8, 12, 13, 24, 60] {
            for columns in [1, 2, 7, 20, 39, 40, 60, 80, 120, 300] {
                for keys in [[], [.character("?")], [.character("/"), .character("n")], [.end]] as [[TopKey]] {
                    let frame = frame(
                        view, pressed(keys, count: 40), rows: rows, columns: columns, silence: "it does not answer")
                    #expect(frame.lines.count <= rows, "\(columns)x\(rows)")
                    #expect(frame.lines.allSatisfy { $0.text.cells <= columns }, "\(columns)x\(rows)")
                    #expect(frame.lines.allSatisfy { !$0.text.contains("\n") && !$0.text.contains("\u{1B}") })
                }
            }
        }
    }

    @Test("columns go in the stated order, and the percentiles and their unit stay")
    func columns() throws {
        let view = try view([
            Series(labels: ["venue": "XNAS"]), Series(bot: "beta", labels: ["venue": "XNYS"], lost: 7),
        ])
        func head(_ columns: Int) -> [String] {
            let line = frame(view, columns: columns).lines.first {
                $0.text.contains("INSTRUMENT") || $0.text.contains("P99")
            }
            return (line?.text ?? "").replacing("PER S", with: "PER_S").split(separator: " ").map(String.init)
        }
        let percentiles = ["P50", "P95", "P99", "P99.9"]
        #expect(head(120) == ["BOT", "INSTRUMENT", "UNIT", "PER_S"] + percentiles + ["MAX", "LOST"])
        var before = head(120)
        for columns in (30...120).reversed() {
            let now = head(columns)
            #expect(percentiles.allSatisfy(now.contains) || columns < 40, "\(columns): \(now)")
            #expect(now.count <= before.count)
            before = now
        }
        let order = ["MAX", "LOST", "PER_S", "BOT"].map { column in
            (30...120).first { head($0).contains(column) } ?? 0
        }
        #expect(order == order.sorted(by: >) && order.allSatisfy { $0 > 30 }, "\(order)")
    }

    @Test("all durations are in one unit, aligned by their points, with three digits; other units keep theirs")
    func figures() throws {
        let view = try view([
            Series(name: "a_seconds", p50: 90e-9), Series(name: "b_seconds", p50: 2e-6),
            Series(name: "c_seconds", p50: 1e-5),
            Series(name: "slip_bps", unit: "bps", p50: 1.25),
        ])
        let lines = frame(view, columns: 120).lines.map(\.text)
        let rows = lines.filter { $0.hasPrefix("alpha") && !$0.contains(" up ") }
        #expect(rows.count == 4)
        #expect(rows.map { $0.split(separator: " ")[2] } == ["us", "us", "us", "bps"])
        #expect(rows.map { $0.split(separator: " ")[4] } == ["0.090", "2.00", "10.0", "1.25"])
        let points = rows.map { row in
            row.indices.filter { row[$0] == "." }.map { row.distance(from: row.startIndex, to: $0) }
        }
        #expect(Set(points.map { $0[1] }).count == 1, "\(rows)")
    }

    @Test("a unit stays while its values fit, so that one near a limit does not change it to and fro")
    func keptUnit() throws {
        var scales: [String: FigureScale] = [:]
        func unit(_ p99: Double) throws -> String? {
            let frame = frame(try view([Series(p50: p99 / 100)]), columns: 120, scales: scales)
            scales = frame.scales
            return scales["seconds"]?.name
        }
        for p99 in [1.1e-6, 0.9e-6, 1.1e-6, 0.06e-6, 9e-3] { #expect(try unit(p99) == "us", "\(p99)") }
        for p99 in [11e-3, 0.9e-3, 0.06e-3, 1.1, 9] { #expect(try unit(p99) == "ms", "\(p99)") }
        for p99 in [11, 0.06, 1] { #expect(try unit(p99) == "s", "\(p99)") }
        for p99 in [0.04, 0.9, 9] { #expect(try unit(p99) == "ms", "\(p99)") }
        // A kind that has no figure for a time has its unit afterwards.
        let none = frame(try view([], bots: ["alpha"]), scales: scales)
        #expect(none.scales == scales)
    }

    @Test("titles that differ stay different where they are shortened")
    func titles() throws {
        let long = String(repeating: "n", count: 60)
        let series = [
            Series(name: "order_ack_seconds"), Series(name: "order_ack_seconds", labels: ["symbol": "AAPL"]),
            Series(name: "orders_ack_seconds"), Series(name: "submission_ack_seconds"),
            Series(name: "submitted_ack_seconds"), Series(name: "orders_submit_to_ack_latency_seconds"),
            Series(name: "orders_intent_to_submit_latency_seconds"), Series(name: "\(long)a\(long)"),
            Series(name: "\(long)b\(long)"), Series(name: "\(long)b\(long)c"),
        ]
        let metrics = try view(series).bots.flatMap(\.metrics)
        let titles = metrics.map { ShortTitle($0, shared: ShortTitle.shared(metrics)) }
        for width in 10...200 {
            let texts = ShortTitle.texts(titles, within: width)
            #expect(Set(texts).count == series.count, "\(width): \(texts)")
            #expect(texts.allSatisfy { $0.cells <= width }, "\(width): \(texts)")
        }
        let buses = ["event_bus_handle_seconds", "event_bus_publish_seconds"]
            .map { Series(name: $0, labels: ["topic": "market_data"]) }
        let lines = frame(try view(buses + [Series(labels: ["topic": "bars"])])).lines.map(\.text)
        for stem in ["eve_bus_han", "eve_bus_pub"] {
            #expect(lines.contains { $0.hasPrefix("alpha  \(stem) mark") }, "\(lines)")
        }
    }

    @Test("a mark of a loss or of an incomplete window is explained on the screen, and without one nothing is")
    func marks() throws {
        let lossy = try view([Series(lost: 3)]), young = try view([Series(complete: false)]),
            well = try view([Series()])
        for columns in [60, 80, 120] {
            #expect(text(frame(lossy, columns: columns)).contains("! records were lost"))
            #expect(text(frame(young, columns: columns)).contains("+ the window is not complete yet"))
            let clean = text(frame(well, columns: columns))
            #expect(!clean.contains("! ") && !clean.contains("+ "))
        }
    }

    @Test("a collector's time that no clock shows is a dash, and ends nothing")
    func impossibleTimes() {
        for time in [1e300, -1e300, 1e19, .infinity] { #expect(Figures.clock(unixSeconds: time) == "-") }
        #expect(Figures.clock(unixSeconds: 0.9).hasSuffix(":00") && Figures.clock(unixSeconds: -0.1).hasSuffix(":59"))
    }

    @Test("keys choose the window, the ranking and the filter, scroll within bounds, pause and quit")
    func keys() {
        #expect(pressed([.character("1")]).window == .oneSecond && pressed([.character("3")]).window == .oneMinute)
        #expect(pressed([.character("w"), .character("w")]).window == .oneSecond)
        #expect(pressed([.character("s")]).sort == .rate && pressed([.character("<")]).sort == .lost)
        #expect(pressed(Array(repeating: .character("s"), count: 8)).sort == nil)
        #expect(pressed([.character("/"), .character("q"), .character("x"), .backspace, .enter]).filter == "q")
        #expect(
            pressed([.character("/"), .character("q"), .escape]).filter == ""
                && !pressed([.character("/"), .character("q")]).isOver)
        #expect(pressed([.up, .up]).offset == 0 && pressed([.pageDown, .down]).offset == 11)
        #expect(
            pressed([.end]).offset == 20 && pressed([.end, .pageDown]).offset == 20
                && pressed([.end, .home]).offset == 0)
        #expect(pressed([.end], page: 50, count: 30).offset == 0)
        #expect(pressed([.character(" ")]).isPaused && !pressed([.character(" "), .character("p")]).isPaused)
        #expect(pressed([.character("?")]).showsHelp && !pressed([.character("?"), .character("s")]).showsHelp)
        #expect(pressed([.character("q")]).isOver && pressed([.character("?"), .character("q")]).isOver)
    }

    @Test("instruments that lost records come first where losses rank")
    func lost() throws {
        let view = try view([
            Series(name: "a_seconds"), Series(name: "b_seconds", lost: 3), Series(name: "c_seconds", lost: 12),
        ])
        let shown = frame(view, TopState(window: .fiveSeconds, sort: .lost), columns: 120).lines.map(\.text)
        let names = shown.filter { $0.hasPrefix("alpha  ") && $0.contains(" us ") }
            .compactMap { $0.split(separator: " ").dropFirst().first }
        #expect(names == ["c", "b", "a"], "\(shown)")
    }

    @Test("the filter takes bots and instruments, and the reversed ranking has the lowest first")
    func filterAndRanking() throws {
        let view = try view([
            Series(bot: "alpha", name: "a_seconds", p50: 1e-6), Series(bot: "beta", name: "b_seconds", p50: 3e-6),
            Series(bot: "gamma", name: "a_seconds", p50: 2e-6),
        ])
        func bots(_ keys: [TopKey]) -> [String] {
            frame(view, pressed(keys)).lines.map(\.text).filter { $0.contains(" us ") }.compactMap {
                $0.split(separator: " ").first.map(String.init)
            }
        }
        #expect(bots([]) == ["alpha", "beta", "gamma"])
        let ranked = Array(repeating: TopKey.character("s"), count: 4)
        #expect(
            bots(ranked) == ["beta", "gamma", "alpha"]
                && bots(ranked + [.character("r")]) == ["alpha", "gamma", "beta"])
        #expect(bots([.character("/"), .character("B"), .enter]) == ["beta"])
        #expect(bots([.character("/"), .character("g"), .character("a"), .enter]) == ["gamma"])
        #expect(text(frame(view, pressed([.character("/"), .character("z")]))).contains("has 'z' in its name"))
    }
}

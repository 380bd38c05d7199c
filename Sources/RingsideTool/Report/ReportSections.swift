internal import Arguments

/// One table of a report, with what stands above it.
struct ReportSection {
    let title: String
    let columns: [Table.Column]
    let titles: [String]
    let isNumber: [Bool]
    var rows: [[String]] = []

    /// - Parameter columns: a name with `#` before it is a column of numbers.
    init(_ title: String, _ columns: [String]) {
        self.title = title
        isNumber = columns.map { $0.hasPrefix("#") }
        titles = columns.map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
        self.columns = zip(titles, isNumber).map { $1 ? .number($0) : .text($0) }
    }

    var text: String {
        var table = Table(columns)
        for row in rows { table.append(row) }
        return "\(title)\n\(table.rendered())"
    }

    /// As GitHub's Markdown has tables.
    var markdown: String {
        let rule = isNumber.map { $0 ? "---:" : "---" }
        let lines = [titles, rule] + rows.map { $0.map(Self.escaped) }
        return "## \(Self.escaped(title))\n\n" + lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { $0 += ["|", "*", "_", "`", "<", "\\"].contains($1) ? "\\\($1)" : String($1) }
    }
}

/// The tables of a report: what each bot did since its rings began, what it is held to, and what was lost.
struct ReportSections {
    private let view: ReportView

    init(_ view: ReportView) { self.view = view }

    var all: [ReportSection] {
        var sections: [ReportSection] = []
        for bot in view.bots {
            sections.append(rings(bot))
            sections += [histograms(bot), values(bot)].filter { !$0.rows.isEmpty }
        }
        return sections + [objectives, alerts].filter { !$0.rows.isEmpty }
    }

    private func rings(_ bot: ReportView.Bot) -> ReportSection {
        let labels = bot.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let title = "Bot \(bot.bot), \(bot.up ? "up" : "down")\(labels.isEmpty ? "" : ": \(labels)")".printable
        var section = ReportSection(title, ["LANE", "#RECORDS", "#DRAINED", "#BACKLOG", "#LOST", "REASONS"])
        for ring in bot.rings {
            let reasons = ring.lost.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            section.rows.append([
                ring.lane.isEmpty ? "-" : ring.lane.printable, "\(ring.position)", "\(ring.drained)",
                "\(ring.backlog)", "\(ring.lostRecords)", reasons.joined(separator: ", ").printable,
            ])
        }
        return section
    }

    private func histograms(_ bot: ReportView.Bot) -> ReportSection {
        var section = ReportSection(
            "Percentiles of \(bot.bot)".printable,
            ["INSTRUMENT", "#CALLS", "#COUNT", "#MEAN", "#P50", "#P95", "#P99", "#P99.9", "#MIN", "#MAX"])
        for metric in bot.metrics where metric.kind == "histogram" {
            let count = metric.count ?? 0
            let mean = count > 0 ? metric.sum.map { $0 / Double(count) } : nil
            let values = [mean, metric.p50, metric.p95, metric.p99, metric.p999, metric.min, metric.max]
            section.rows.append(
                [Self.name(metric), "\(metric.calls ?? 0)", "\(count)"] + values.map { Self.value($0, metric.unit) })
        }
        return section
    }

    private func values(_ bot: ReportView.Bot) -> ReportSection {
        var section = ReportSection(
            "Counters and gauges of \(bot.bot)".printable, ["INSTRUMENT", "KIND", "LANE", "#VALUE", "#RATE", "#MAX"])
        for metric in bot.metrics where metric.kind != "histogram" {
            section.rows.append([
                Self.name(metric), metric.kind.printable, (metric.lane ?? "").printable,
                Self.value(metric.value, metric.unit), metric.rate.map { Figures.rate($0) } ?? "",
                metric.kind == "gauge" ? Self.value(metric.max, metric.unit) : "",
            ])
        }
        return section
    }

    private var objectives: ReportSection {
        var section = ReportSection(
            "Objectives", ["OBJECTIVE", "BOT", "STATE", "#TARGET", "#GOOD", "#BAD", "#COMPLIANCE", "#BUDGET LEFT"])
        for one in view.slo {
            let all = Double(one.good) + Double(one.bad)
            section.rows.append([
                one.objective.printable, one.bot.printable, one.state.printable, Self.percent(one.target),
                "\(one.good)", "\(one.bad)", Self.percent(all > 0 ? Double(one.good) / all : nil),
                Self.percent(one.budget),
            ])
        }
        return section
    }

    private var alerts: ReportSection {
        var section = ReportSection("Alerts", ["ALERT", "SEVERITY", "BOT", "STATE", "SINCE", "#VALUE", "CONDITION"])
        for one in view.alerts {
            section.rows.append([
                one.alert.printable, one.severity.printable, one.bot.printable, one.state.printable,
                Figures.age(seconds: view.time - one.since), one.value.map { Figures.real($0) } ?? "-",
                one.condition.printable,
            ])
        }
        return section
    }

    private static func name(_ metric: ReportView.Metric) -> String {
        let labels = metric.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        return (labels.isEmpty ? metric.name : "\(metric.name){\(labels)}").printable
    }

    private static func value(_ number: Double?, _ unit: String) -> String {
        guard let number else { return "-" }
        return unit == "seconds" ? Figures.duration(seconds: number) : Figures.real(number)
    }

    private static func percent(_ ratio: Double?) -> String {
        ratio.map { "\(Figures.fixed($0 * 100, decimals: 3)) %" } ?? "-"
    }
}

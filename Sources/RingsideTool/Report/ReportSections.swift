internal import Arguments

/// One table of a report, with its heading.
struct ReportSection {
    let title: String
    let columns: [Table.Column]
    let titles: [String]
    let isNumber: [Bool]
    var rows: [[String]] = []

    /// - Parameter columns: A name with `#` before it is a column of numbers.
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

    /// The table in GitHub's Markdown.
    var markdown: String {
        let rule = isNumber.map { $0 ? "---:" : "---" }
        let lines = [titles, rule] + rows.map { $0.map(Self.escaped) }
        return "## \(Self.escaped(title))\n\n" + lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { $0 += ["|", "*", "_", "`", "<", "\\"].contains($1) ? "\\\($1)" : String($1) }
    }
}

/// The tables of a report: each bot's activity since its rings began, its objectives, and its losses.
struct ReportSections {
    private let view: CollectorView
    private let hasMean: Bool
    private let label: String

    /// - Parameter label: The label by which histograms are ranked; empty for no ranking.
    init(_ view: CollectorView, hasMean: Bool, label: String) {
        (self.view, self.hasMean, self.label) = (view, hasMean, label)
    }

    /// - Throws: ``NoSuchName`` if no histogram has the label.
    func all() throws(NoSuchName) -> [ReportSection] {
        var sections = label.isEmpty ? [] : [try ranking()]
        for bot in view.bots {
            sections.append(rings(bot))
            sections += [histograms(bot), values(bot), unusual(bot)].filter { !$0.rows.isEmpty }
        }
        return sections + [objectives, alerts].filter { !$0.rows.isEmpty }
    }

    private func rings(_ bot: CollectorView.Bot) -> ReportSection {
        let labels = bot.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let title = "Bot \(bot.bot), \(bot.shownState)\(labels.isEmpty ? "" : ": \(labels)")".printable
        var section = ReportSection(
            "\(title); rings, in records", ["LANE", "#WRITTEN", "#DRAINED", "#BACKLOG", "#LOST", "REASONS"])
        for ring in bot.rings {
            let reasons = ring.lost.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
            section.rows.append([
                ring.lane.isEmpty ? "-" : ring.lane.printable, "\(ring.position)", "\(ring.drained)",
                "\(ring.backlog)", "\(ring.lostRecords)", reasons.joined(separator: ", ").printable,
            ])
        }
        return section
    }

    private func ranking() throws(NoSuchName) -> ReportSection {
        let rows = view.bots.flatMap { bot in
            bot.metrics.filter { $0.kind == "histogram" }.map { HistogramRow(bot: bot.bot, metric: $0, figures: $0) }
        }
        var section = ReportSection(
            "Slowest by \(label), by p99".printable,
            [label.uppercased().printable, "BOT", "INSTRUMENT", "#P50", "#P95", "#P99", "#P99.9", "#MAX", "#VALUES"])
        for row in try rows.ranked(by: .p99, label: label, place: "the report's bots") {
            let (metric, bot) = (row.metric, row.bot.printable)
            let values = [metric.p50, metric.p95, metric.p99, metric.p999, metric.max]
            section.rows.append(
                [(metric.labels[label] ?? "").printable, bot, metric.title(without: label).printable]
                    + values.map { Figures.value($0, unit: metric.unit) } + ["\(metric.count ?? 0)"])
        }
        return section
    }

    private func histograms(_ bot: CollectorView.Bot) -> ReportSection {
        var section = ReportSection(
            "Percentiles of \(bot.bot)".printable,
            ["INSTRUMENT", "#P50", "#P95", "#P99", "#P99.9", "#MAX", "#MIN"] + (hasMean ? ["#MEAN"] : [])
                + ["#VALUES", "#CALLS"])
        for metric in bot.metrics where metric.kind == "histogram" {
            let count = metric.count ?? 0
            let mean = count > 0 ? metric.sum.map { $0 / Double(count) } : nil
            let values = [metric.p50, metric.p95, metric.p99, metric.p999, metric.max, metric.min]
            section.rows.append(
                [Self.name(metric)] + (values + (hasMean ? [mean] : [])).map { Figures.value($0, unit: metric.unit) }
                    + ["\(count)", "\(metric.calls ?? 0)"])
        }
        return section
    }

    private func values(_ bot: CollectorView.Bot) -> ReportSection {
        var section = ReportSection(
            "Counters and gauges of \(bot.bot)".printable, ["INSTRUMENT", "KIND", "LANE", "#VALUE", "#MAX", "#PER S"])
        for metric in bot.metrics where metric.kind != "histogram" {
            section.rows.append([
                Self.name(metric), metric.kind.printable, (metric.lane ?? "").printable,
                Figures.value(metric.value, unit: metric.unit),
                metric.kind == "gauge" ? Figures.value(metric.max, unit: metric.unit) : "",
                metric.rate.map { Figures.rate($0) } ?? "",
            ])
        }
        return section
    }

    private func unusual(_ bot: CollectorView.Bot) -> ReportSection {
        var section = ReportSection(
            "Unusual levels of \(bot.bot)".printable,
            ["INSTRUMENT", "LANE", "STATISTIC", "STATE", "SINCE", "#VALUE", "#USUAL FROM", "#TO", "BY"])
        for level in bot.levels ?? [] where level.isUnusual {
            let labels = level.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
            func shown(_ value: Double?) -> String {
                level.statistic == "rate"
                    ? value.map { "\(Figures.rate($0))/s" } ?? "-" : Figures.value(value, unit: level.unit)
            }
            section.rows.append([
                (labels.isEmpty ? level.metric : "\(level.metric){\(labels)}").printable, level.lane.printable,
                level.statistic.printable, level.state.printable, Figures.age(seconds: view.time - level.since),
                shown(level.value), shown(level.usualLow), shown(level.usualHigh),
                level.basis == "time_of_day" ? "\(level.days) days" : "the last hour",
            ])
        }
        return section
    }

    private var objectives: ReportSection {
        var section = ReportSection(
            "Objectives",
            ["OBJECTIVE", "BOT", "STATE", "#TARGET", "#GOOD CALLS", "#BAD CALLS", "#COMPLIANCE", "#BUDGET LEFT"])
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

    private static func name(_ metric: CollectorView.Metric) -> String {
        let labels = metric.labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        return (labels.isEmpty ? metric.name : "\(metric.name){\(labels)}").printable
    }

    private static func percent(_ ratio: Double?) -> String {
        ratio.map { "\(Figures.fixed($0 * 100, decimals: 3)) %" } ?? "-"
    }
}

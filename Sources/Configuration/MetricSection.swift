internal import Rules
internal import Series

extension MetricRule {
    /// One of `metrics`.
    init(_ section: Section) {
        section.require("match", "the names that the rule is for")
        let expected = "a label's name"
        self.init(
            match: section.glob("match") ?? .all, bot: section.glob("bot") ?? .all,
            labels: section.labels("labels") ?? [], drop: section.bool("drop") ?? false,
            rename: section.text("rename", expected: "a name"), add: section.labels("add_labels") ?? [],
            dropLabels: section.list("drop_labels", expected: expected) { content in
                content.text.flatMap { $0.isLabelName ? $0 : nil }
            } ?? [],
            maximumSeries: section.maximumSeries, buckets: section.edges("buckets"))
        check(section)
        section.finish()
    }

    private func check(_ section: Section) {
        if let rename, !rename.isLabelName {
            section.note("rename", "found \"\(rename)\", expected letters, digits and _, no digit first")
        }
        let shows =
            rename != nil || !add.isEmpty || !dropLabels.isEmpty || maximumSeries != nil || section.has("buckets")
        if drop, shows {
            section.note(
                "drop",
                "is true beside rename, add_labels, drop_labels, max_series or buckets; expected one or the other")
        } else if !drop, !shows {
            section.note(
                "match", "stands alone; expected drop, rename, add_labels, drop_labels, max_series or buckets beside it"
            )
        }
        for name in ["bot", "lane", "le", "quantile", "window"] where add.contains(where: { $0.name == name }) {
            section.note("add_labels", "has \(name), which the exports set themselves; expected another name")
        }
        for name in dropLabels where add.contains(where: { $0.name == name }) {
            section.note("drop_labels", "has \(name), which add_labels sets; expected one or the other")
        }
    }
}

extension Section {
    /// A bound for the series that are shown.
    var maximumSeries: Int? {
        number("max_series", expected: "a whole number from 1 to 1000000") {
            $0 == $0.rounded() && (1...1e6).contains($0)
        }.map { Int($0) }
    }
}

internal import Rules
internal import Series

extension MetricRule {
    /// Reads one entry of `metrics`.
    init(_ section: Section) {
        section.require("match", "the metrics' name, or a pattern with * and ?")
        self.init(
            match: section.glob("match") ?? .all, bot: section.glob("bot") ?? .all,
            labels: section.labels("labels") ?? [], drop: section.bool("drop") ?? false,
            keep: section.bool("keep") ?? false, rename: section.rename, scale: section.scale,
            add: section.labels("add_labels") ?? [],
            dropLabels: section.list("drop_labels", expected: "a label's name in quotes") { content in
                content.text.flatMap { $0.isLabelName ? $0 : nil }
            } ?? [],
            maximumSeries: section.maximumSeries, buckets: section.edges("buckets"))
        check(section)
    }

    private static let changes = ["rename", "scale", "add_labels", "drop_labels", "max_series", "buckets"]

    private func check(_ section: Section) {
        let changes =
            rename != nil || scale != nil || !add.isEmpty || !dropLabels.isEmpty || maximumSeries != nil
            || section.has("buckets")
        if drop, keep {
            section.note("keep", "the rule keeps and drops the same metrics; remove keep or drop")
        } else if drop, changes {
            section.note(
                "drop", "a metric that is dropped cannot be changed too; remove drop, or \(Self.changes.listed("and"))")
        } else if keep, changes {
            section.note(
                "keep",
                "a rule that keeps changes nothing; write \(Self.changes.listed("and")) into a rule of their own")
        } else if !drop, !keep, !changes,
            !(Self.changes + ["drop", "keep"]).contains(where: { section.isInDoubt($0) })
        {
            section.note("", "the rule changes nothing; add drop: true, keep: true, or \(Self.changes.listed("or"))")
        }
        checkUnits(section)
        for name in ["bot", "lane", "le", "quantile", "window"] where add.contains(where: { $0.name == name }) {
            section.note("add_labels", "the exports set the label \(name) themselves; choose another name")
        }
        for name in dropLabels where add.contains(where: { $0.name == name }) {
            section.note("drop_labels", "the label \(name) is set by add_labels; remove it from one of the two")
        }
    }

    /// Checks units as far as that is possible before bots register.
    private func checkUnits(_ section: Section) {
        if scale != nil, rename == nil, !section.isInDoubt("rename") {
            section.note("scale", "the values would change under the same name; add rename, with a name that fits them")
        }
        guard let rename, scale == nil, !section.isInDoubt("scale") else { return }
        if let unclear = MetricUnit.ambiguity(ofSuffixOf: rename) {
            let names = unclear.meanings.map { "_\($0.rawValue)" }.listed("or")
            section.note(
                "rename", "it is not known which unit _\(unclear.suffix) is; rename to \(names), or add scale")
        } else if let (own, shown) = unitMismatch {
            section.note(
                "rename",
                "\(own.rawValue) cannot be converted into \(shown.rawValue); add scale, or choose a name without "
                    + "_\(shown.rawValue)")
        }
    }
}

extension Section {
    /// Reads the factor for values.
    fileprivate var scale: Double? {
        number("scale", expected: "a number from 1e-18 to 1e18, such as 1e6") { (1e-18...1e18).contains($0) }
    }

    /// Reads the bound for the exported series.
    var maximumSeries: Int? {
        whole("max_series", 1...1_000_000)
    }

    /// Reads the name under which the exports show a metric.
    fileprivate var rename: String? {
        value("rename", expected: "a metric's name: \(String.labelNameForm)") { content in
            content.text.flatMap { $0.isLabelName ? $0 : nil }
        }
    }
}

internal import Arguments
internal import Drain
internal import Exposition
internal import JSON
internal import RingReader

/// The control settings of some rings.
struct ControlReport {
    let outcomes: [ControlOperation.Outcome]
    let hostSwitch: HostSwitch.Setting?
    /// The metrics shown; empty means all, and the default for later ones.
    let metrics: [MetricSelector]

    /// One line for each metric.
    var table: String {
        var table = Table([.text("RING"), .text("ENABLED"), .text("SAMPLING"), .text("METRIC")])
        for outcome in outcomes {
            guard let segment = outcome.segment else { continue }
            if metrics.isEmpty { table.append(cells(outcome, segment.defaultControlWord, "(registered later)")) }
            for (metric, word) in words(segment) { table.append(cells(outcome, word, metric.series)) }
        }
        return table.rendered(width: nil)
    }

    private func cells(_ outcome: ControlOperation.Outcome, _ word: ControlWord, _ metric: String) -> [String] {
        [
            "\(outcome.ring)", word.isEnabled ? "yes" : "no", word.samplingN == 1 ? "all" : "1/\(word.samplingN)",
            metric,
        ]
    }

    /// One line for each ring, after a change.
    var summary: String {
        var table = Table([
            .text("RING"), .text("STATE"), .number("METRICS"), .number("CHANGED"), .text("SAMPLING"),
        ])
        for outcome in outcomes {
            guard let segment = outcome.segment, outcome.failure == nil else { continue }
            table.append([
                "\(outcome.ring)", ProducerState(of: segment).rawValue, "\(outcome.selected)", "\(outcome.changed)",
                "\(Sampling(of: segment))",
            ])
        }
        return table.rendered()
    }

    var json: [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("host_switch", hostSwitch?.word?.switchText)
            $0.member("rings", array: { for outcome in outcomes { ring(outcome, &$0) } })
        }
        return json.bytes
    }

    private func ring(_ outcome: ControlOperation.Outcome, _ json: inout JSONWriter) {
        json.object {
            $0.member("ring", "\(outcome.ring)")
            $0.member("state", outcome.segment.map { ProducerState(of: $0).rawValue })
            $0.member("changed", outcome.changed)
            $0.member("changes", outcome.segment?.controlChanges)
            $0.member("default", object: { if let segment = outcome.segment { $0.word(segment.defaultControlWord) } })
            $0.member(
                "metrics",
                array: { json in
                    for (metric, word) in outcome.segment.map(words) ?? [] {
                        json.object {
                            $0.member("name", metric.name)
                            $0.labels(metric.labels)
                            $0.word(word)
                        }
                    }
                })
            $0.member("error", outcome.failure)
        }
    }

    private func words(_ segment: Segment) -> [(Metric, ControlWord)] {
        (0..<segment.metricCount).compactMap { index in
            segment.metric(index).map { ($0, segment.controlWord(index)) }
        }
        .filter { metric, _ in metrics.isEmpty || metrics.contains { $0.matches(metric) } }
    }
}

extension JSONWriter {
    fileprivate mutating func word(_ word: ControlWord) {
        member("enabled", word.isEnabled)
        member("sampling_n", word.samplingN)
    }
}

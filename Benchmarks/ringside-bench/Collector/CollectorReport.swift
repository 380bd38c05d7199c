internal import JSON
internal import Arguments
internal import Exposition

/// The results of a collector run.
struct CollectorReport {
    let host: Host
    let run: CollectorRun

    var text: String {
        var table = Table(
            [
                "RECORDS/S", "SERIES", "CPU %", "x DRAIN", "ANON MB", "PSS MB", "SCRAPE MS", "LEAST", "MOST", "CPU MS",
                "KB", "DRAINED", "LOST",
            ]
            .map { .number($0) })
        for point in [run.idle] + run.byRate + run.bySeries { table.append(row(point)) }
        return host.lines + """
            A ringsided of its own for each line, which drains \(CollectorLoad.bots) bots. CPU: of one core, nobody asking;
            x DRAIN: the same a record, in multiples of the \(figure(run.drainNanoseconds)) ns that the drain alone took a record in this run;
            ANON: RssAnon; PSS: with its share of the rings; SCRAPE: a request for /metrics from its beginning to its end, median;
            CPU MS: what it took of processors.


            """ + table.rendered(width: nil)
    }

    private func row(_ point: CollectorPoint) -> [String] {
        let scrape = point.scrapeMilliseconds
        return [
            figure(point.recordsPerSecond), grouped(point.series), decimals(point.processorShare * 100, 3),
            point.multiple(ofDrainNanoseconds: run.drainNanoseconds).map(figure) ?? "",
            decimals(Double(point.anonymousBytes) / 1e6, 1), decimals(Double(point.proportionalBytes) / 1e6, 1),
            figure(scrape.median), figure(scrape.least), figure(scrape.greatest),
            figure(point.scrapeProcessorMilliseconds),
            grouped(point.scrapeBytes / 1000), grouped(Int(point.drained)), grouped(Int(point.lost)),
        ]
    }

    func write(_ json: inout JSONWriter) {
        json.host(host)
        json.key("drain_ns_per_record")
        json.number(run.drainNanoseconds)
        json.member("idle", object: { write(run.idle, &$0) })
        json.member("by_rate", array: { array in for point in run.byRate { array.object { write(point, &$0) } } })
        json.member("by_series", array: { array in for point in run.bySeries { array.object { write(point, &$0) } } })
    }

    private func write(_ point: CollectorPoint, _ json: inout JSONWriter) {
        json.member("records_per_second", point.recordsPerSecond)
        json.member("series", point.series)
        json.key("cpu_share")
        json.number(point.processorShare)
        json.key("drain_multiple")
        json.number(point.multiple(ofDrainNanoseconds: run.drainNanoseconds))
        json.member("rss_anon_bytes", point.anonymousBytes)
        json.member("pss_bytes", point.proportionalBytes)
        json.member("scrape_ms", point.scrapeMilliseconds.median)
        json.member("scrape_least_ms", point.scrapeMilliseconds.least)
        json.member("scrape_greatest_ms", point.scrapeMilliseconds.greatest)
        json.member("scrape_cpu_ms", point.scrapeProcessorMilliseconds)
        json.member("scrape_bytes", point.scrapeBytes)
        json.member("drained", point.drained)
        json.member("lost", point.lost)
    }
}

internal import JSON
internal import Arguments
internal import Exposition

/// The results of a run of two processes.
struct TwoProcessReport {
    let host: Host
    let run: TwoProcessRun

    private func visible(_ quantile: Double) -> Double {
        let sorted = run.visibleMilliseconds.values.sorted()
        return sorted.isEmpty ? .nan : sorted[max(0, Int((quantile * Double(sorted.count)).rounded(.up)) - 1)]
    }

    var text: String {
        var table = Table(["ASKED FOR", "RECORDS/S", "WRITTEN", "DRAINED", "LOST", "LOST %"].map { .number($0) })
        for loss in run.losses {
            table.append([
                loss.wanted.map { grouped(Int($0)) } ?? "all it can", figure(loss.recordsPerSecond),
                grouped(loss.written),
                grouped(Int(loss.drained)), grouped(Int(loss.lost)),
                decimals(Double(loss.lost) / Double(max(1, loss.written)) * 100, 3),
            ])
        }
        return host.lines + """
            From a record's writing to the end of the answer of /latest that shows it, asked at once (\
            \(run.visibleMilliseconds.values.count) records):
            \(figure(visible(0.5))) ms in the median, \(figure(visible(0.9))) ms for nine in ten, \(figure(visible(1))) ms at most.
            Without loss, through a ring of 131,072 records: \(run.sustainable.map { "\(figure($0)) records/s" } ?? "at none of these rates").


            """ + table.rendered(width: nil)
    }

    func write(_ json: inout JSONWriter) {
        json.host(host)
        json.member(
            "visible_ms",
            object: {
                $0.member("p50", visible(0.5))
                $0.member("p90", visible(0.9))
                $0.member("p99", visible(0.99))
                $0.member("greatest", visible(1))
                $0.member("trials", run.visibleMilliseconds.values.count)
            })
        json.member("sustainable_records_per_second", run.sustainable ?? .nan)
        json.member("capacity_records", 131_072)
        json.member("rates", array: { array in for loss in run.losses { array.object { write(loss, &$0) } } })
    }

    private func write(_ loss: LossPoint, _ json: inout JSONWriter) {
        json.member("wanted", loss.wanted ?? .nan)
        json.member("records_per_second", loss.recordsPerSecond)
        json.member("written", loss.written)
        json.member("drained", loss.drained)
        json.member("lost", loss.lost)
    }
}

internal import Ringside

/// The import's metrics about itself, in its ring.
struct OwnInstruments {
    struct Totals: Equatable {
        var lines: UInt64 = 0
        var badLines: UInt64 = 0
        var restarts: UInt64 = 0
        /// The source's time of the last row; nil before the first.
        var timeNanoseconds: Int64?
    }

    private let lines: Counter
    private let badLines: Counter
    private let restarts: Counter
    private let time: Gauge?

    init(_ telemetry: borrowing Telemetry, hasTime: Bool) throws(RegistrationError) {
        lines = try telemetry.counter("csv_import_lines_total", help: "Lines of CSV files that were imported.")
        badLines = try telemetry.counter(
            "csv_import_bad_lines_total", help: "Lines of CSV files that could not be read; the log has them.")
        restarts = try telemetry.counter(
            "csv_import_source_restarts_total",
            help: "Lines in which a total had fallen: their source had started again from 0.")
        time =
            hasTime
            ? try telemetry.gauge(
                "csv_import_source_time_seconds", unit: .seconds,
                help: "Unix time of the last line imported, by the clock of its source.")
            : nil
    }

    var cells: Totals { Totals(lines: lines.total, badLines: badLines.total, restarts: restarts.total) }

    func raise(to totals: Totals) {
        for (counter, total) in [(lines, totals.lines), (badLines, totals.badLines), (restarts, totals.restarts)] {
            let missing = Int64(bitPattern: total &- counter.total)
            if missing > 0 { counter.increment(by: UInt64(missing)) }
        }
        if let nanoseconds = totals.timeNanoseconds { time?.set(Double(nanoseconds) / 1e9) }
    }

    func saved(_ totals: Totals) -> [String: ImportState.Series] {
        [
            "csv_import_lines_total": ImportState.Series(total: totals.lines),
            "csv_import_bad_lines_total": ImportState.Series(total: totals.badLines),
            "csv_import_source_restarts_total": ImportState.Series(total: totals.restarts),
        ]
    }

    func restore(_ totals: inout Totals, _ saved: [String: ImportState.Series]) {
        totals.lines = saved["csv_import_lines_total"]?.total ?? totals.lines
        totals.badLines = saved["csv_import_bad_lines_total"]?.total ?? totals.badLines
        totals.restarts = saved["csv_import_source_restarts_total"]?.total ?? totals.restarts
    }

    /// Carries totals over to a new ring. Each stays as far behind its cell as it was in the old ring.
    func carry(_ totals: inout Totals, _ saved: [String: ImportState.Series]) {
        func behind(_ name: String) -> UInt64 {
            saved[name].flatMap { series in series.cell.map { $0 &- series.total } } ?? 0
        }
        totals.lines &-= behind("csv_import_lines_total")
        totals.badLines &-= behind("csv_import_bad_lines_total")
        totals.restarts &-= behind("csv_import_source_restarts_total")
    }
}

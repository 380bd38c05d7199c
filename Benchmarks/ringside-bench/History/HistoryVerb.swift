internal import JSON
internal import Arguments
internal import Exposition
internal import Glibc

struct HistoryOptions: Sendable {
    var series = 1000
    var hours: Int64 = 24
    var questions = 200
    var folder = "/tmp"
    var isQuick = false
    var format = OutputFormat.text
}

/// `ringside-bench history`: measures the size of a history on disk, and the time of its answers.
enum HistoryVerb {
    static let verb = Verb(command, run)

    private static let command = Command(
        "ringside-bench history", summary: "Measures a history's bytes a series-minute, and its answers.",
        details: """
            A history is written as the collector writes it, minute by minute and hour by hour: a quarter of its series idle, a \
            quarter with 3 records a minute, a quarter with 120, a quarter with 20,000, of six distributions. Then p99 of an hour \
            drawn by lot of a busy series drawn by lot is asked for, the file opened each time; and one busy series over all hours, \
            hour by hour. 30 days of 1,000 series take hours to write, and some gigabytes.
            """,
        defaults: HistoryOptions(),
        options: [
            .value("series", "N", \.series, .integer(in: 8...100_000), help: "Series in the history"),
            .value("hours", "N", \.hours, .integer(in: 1...10_000), help: "Hours in the history"),
            .value("questions", "N", \.questions, .integer(in: 1...100_000), help: "Hours asked for"),
            .value("dir", "DIR", \.folder, .text, help: "Where the file is made and removed again"),
            .flag("quick", \.isQuick, help: "16 series, 2 hours, 10 questions"),
            .value("format", "FORMAT", \.format, .choice, help: "How the figures are written"),
        ],
        examples: [
            Example("A day of 1,000 series", "ringside-bench history"),
            Example("30 days of them", "ringside-bench history --hours 720 --dir /var/tmp"),
        ])

    private static func run(_ options: HistoryOptions) throws -> Int32 {
        let run =
            options.isQuick
            ? try HistoryRun(seriesCount: 16, hours: 2, questions: 10, folder: options.folder)
            : try HistoryRun(
                seriesCount: options.series, hours: options.hours, questions: options.questions,
                folder: options.folder)
        switch options.format {
        case .text: try Output.text(text(run))
        case .json: try Output.json { write(run, &$0) }
        }
        return 0
    }

    private static func text(_ run: HistoryRun) -> String {
        var table = Table([.text("SERIES"), .number("RECORDS A MINUTE"), .number("BYTES A SERIES-MINUTE")])
        for (kind, bytes) in run.bytesPerSeriesMinute {
            table.append([kind.rawValue, grouped(kind.recordsPerMinute), decimals(bytes, 1)])
        }
        var answers = Table([.text("QUESTION"), .number("MEDIAN MS"), .number("MOST MS"), .number("ASKED")])
        for (name, rounds) in [
            ("p99 of one hour", run.hourMilliseconds), ("all hours, by hour", run.rangeMilliseconds),
        ] {
            answers.append([name, decimals(rounds.median, 2), decimals(rounds.greatest, 2), "\(rounds.values.count)"])
        }
        let minutes = Double(run.seriesCount) * Double(run.hours) * 60
        return Host().lines + """
            \(grouped(run.seriesCount)) series over \(grouped(Int(run.hours))) hours: \(grouped(Int(run.fileBytes))) bytes, \
            \(decimals(Double(run.fileBytes) / minutes, 1)) a series-minute, written in \(decimals(run.writingSeconds, 1)) s.


            """ + table.rendered(width: nil) + "\n" + answers.rendered(width: nil)
    }

    private static func write(_ run: HistoryRun, _ json: inout JSONWriter) {
        json.host(Host())
        json.member("series", run.seriesCount)
        json.member("hours", run.hours)
        json.member("file_bytes", run.fileBytes)
        json.member("writing_seconds", run.writingSeconds)
        json.member(
            "bytes_per_series_minute",
            object: { for (kind, bytes) in run.bytesPerSeriesMinute { $0.member(kind.rawValue, bytes) } })
        for (name, rounds) in [("hour_ms", run.hourMilliseconds), ("range_ms", run.rangeMilliseconds)] {
            json.member(
                name,
                object: {
                    $0.member("median", rounds.median)
                    $0.member("greatest", rounds.greatest)
                })
        }
    }
}

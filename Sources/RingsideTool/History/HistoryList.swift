internal import Arguments
internal import Exposition
internal import History
internal import JSON

/// The series that a history holds.
enum HistoryList {
    static func show(_ reader: HistoryReader, _ options: HistoryOptions) throws -> Int32 {
        let series = try reader.series().filter { series in
            (options.bot == nil || options.bot == series.key.bot)
                && options.labels.allSatisfy { series.key.label($0.name) == $0.value }
        }
        switch options.format {
        case .table: try Terminal.output(table(series).rendered())
        case .json: try Terminal.output(json: json(series))
        case .csv: throw HistoryUsageError("the list has no CSV; choose table or json, or name a --metric")
        }
        return 0
    }

    private static func table(_ series: [StoredSeries]) -> Table {
        var table = Table([.text("BOT"), .text("METRIC"), .text("LABELS"), .text("KIND"), .text("LAST SEEN")])
        for one in series.sorted(by: { ($0.key.bot, $0.key.name) < ($1.key.bot, $1.key.name) }) {
            let lane = one.key.lane.isEmpty ? [] : ["lane=\(one.key.lane)"]
            let labels = lane + one.key.allLabels.map { "\($0.name)=\($0.value)" }
            table.append([
                one.key.bot.printable, one.key.name.printable, labels.joined(separator: " ").printable,
                one.key.kind.rawValue, HistoryTable.time(one.seen * 60),
            ])
        }
        return table
    }

    private static func json(_ series: [StoredSeries]) -> [UInt8] {
        var json = JSONWriter()
        json.array { json in
            for one in series {
                json.object {
                    for (key, value) in [
                        ("bot", one.key.bot), ("metric", one.key.name), ("lane", one.key.lane),
                        ("kind", one.key.kind.rawValue), ("unit", one.key.unit.rawValue),
                    ] {
                        $0.key(key)
                        $0.string(value)
                    }
                    $0.key("labels")
                    $0.object { json in
                        for label in one.key.allLabels {
                            json.key(label.name)
                            json.string(label.value)
                        }
                    }
                    $0.key("last_seen")
                    $0.integer(one.seen * 60)
                }
            }
        }
        return json.bytes
    }
}

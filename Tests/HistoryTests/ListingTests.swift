import Series
import TestSupport
import Testing

@testable import History

@Suite("The list of a history's series") struct ListingTests {
    private let folder = TemporaryRingDirectory(under: "/tmp")
    private var path: String { "\(folder.path)/history.db" }

    private func key(_ bot: String, _ name: String, _ labels: [Label] = []) -> HistorySeriesKey {
        HistorySeriesKey(bot: bot, name: name, labels: labels, kind: .counter)
    }

    private func entry(_ key: HistorySeriesKey, _ minute: Int64) -> HistoryStore.Entry {
        HistoryStore.Entry(key: key, minute: minute, value: .counter(1))
    }

    private func times(_ listing: HistoryListing) -> [String: ClosedRange<Int64>] {
        Dictionary(uniqueKeysWithValues: listing.series.map { ("\($0.key.bot) \($0.key.name)", $0.minutes) })
    }

    @Test("a series has the first and the last minute with a value, whether they are packed, open or pending")
    func minutes() throws {
        let store = try HistoryStore(path: path)
        let (early, late, gone) = (key("alpha", "early"), key("alpha", "late"), key("beta", "gone"))
        // In the hours 10 to 14 `gone` has one minute, `late` begins in the third hour, and both leave gaps.
        for minute in [605, 606, 690, 800] as [Int64] { try store.write([entry(early, minute)]) }
        try store.write([entry(gone, 615)])
        for minute in [730, 731] as [Int64] { try store.write([entry(late, minute)]) }
        let whole =
            ["alpha early": 605...800, "alpha late": 730...731, "beta gone": 615...615] as [String: ClosedRange<Int64>]
        let reader = try HistoryReader(path: path)
        #expect(times(try reader.listing(HistoryListQuery())) == whole)
        for before in [660, 720, Int64.max] {
            try store.pack(before: before)
            #expect(times(try reader.listing(HistoryListQuery())) == whole, "packed before \(before)")
        }
        try store.write([entry(late, 850)])
        let new = key("gamma", "new")
        let listing = try reader.listing(
            HistoryListQuery(), PendingMinutes([entry(new, 870), entry(late, 871), entry(gone, 600)]))
        #expect(
            times(listing) == [
                "alpha early": 605...800, "alpha late": 730...871, "beta gone": 600...615, "gamma new": 870...870,
            ])
        #expect(listing.minutes == 600...871)
        #expect(listing.series.map(\.key.bot) == ["alpha", "alpha", "beta", "gamma"])
    }

    @Test("it can be asked for one bot and for labels, and says that a bot is not known")
    func chosen() throws {
        let store = try HistoryStore(path: path)
        let (buy, sell) = ([Label("side", "buy")], [Label("side", "sell")])
        try store.write([
            entry(key("alpha", "a", buy), 600), entry(key("alpha", "a", sell), 601), entry(key("beta", "b", buy), 602),
        ])
        let reader = try HistoryReader(path: path)
        #expect(try reader.listing(HistoryListQuery(bot: "alpha")).minutes == 600...601)
        #expect(
            times(try reader.listing(HistoryListQuery(labels: buy))) == ["alpha a": 600...600, "beta b": 602...602])
        #expect(try reader.listing(HistoryListQuery(bot: "beta", labels: sell)).series.isEmpty)
        let error = #expect(throws: HistoryQueryError.self) { try reader.listing(HistoryListQuery(bot: "gamma")) }
        #expect(error?.isAboutNothing == true)
        #expect(
            try reader.listing(HistoryListQuery(bot: "gamma"), PendingMinutes([entry(key("gamma", "c"), 1)])).series
                .count == 1)
        #expect(try reader.bots() == ["alpha", "beta"])
    }

    @Test("more series than the bounds allow are refused")
    func bounds() throws {
        let store = try HistoryStore(path: path)
        try store.write((0..<5).map { entry(key("alpha", "m\($0)"), 600) })
        let reader = try HistoryReader(path: path)
        var bounds = HistoryBounds()
        bounds.series = 5
        #expect(try reader.listing(HistoryListQuery(), PendingMinutes(), bounds).series.count == 5)
        bounds.series = 4
        #expect(throws: HistoryQueryError.self) { try reader.listing(HistoryListQuery(), PendingMinutes(), bounds) }
    }

    @Test("its JSON has times in Unix seconds, null where nothing is held, and the quantiles that are kept")
    func json() throws {
        let empty = String(decoding: HistoryListJSON.render(HistoryListing(series: [])), as: UTF8.self)
        #expect(
            empty
                == #"{"first":null,"last":null,"quantiles":{"p50":0.5,"p95":0.95,"p99":0.99,"p999":0.999},"series":[]}"#
        )
        let one = HistoryListing.Series(key: key("alpha", "a_total", [Label("side", "buy")]), minutes: 10...12)
        let text = String(decoding: HistoryListJSON.render(HistoryListing(series: [one])), as: UTF8.self)
        #expect(text.hasPrefix(#"{"first":600,"last":720,"#))
        #expect(
            text.contains(
                #"{"bot":"alpha","metric":"a_total","labels":{"side":"buy"},"lane":"","kind":"counter","unit":"","first":600,"last":720}"#
            ))
    }
}

/// How many bots and series a collector has, and how long it keeps those of bots that are gone.
package struct BotLimits: Equatable, Sendable {
    /// Bots at once, those that are gone and not yet forgotten included; rings of others are not read.
    package var maximumBots = 4000
    /// Series of all bots together; what is registered beyond them is refused.
    package var maximumSeriesTotal = 200_000
    /// How long after its end a bot is forgotten whose ring still lies in the ring directory.
    package var forgetAfterNanoseconds: Int64 = 30 * 86_400_000_000_000
    /// How long after its end a bot is forgotten whose rings are all removed.
    package var forgetRemovedAfterNanoseconds: Int64 = 86_400_000_000_000

    package init() {}

    init(_ root: Section) {
        maximumBots = root.count("max_bots", in: 1...100_000) ?? maximumBots
        maximumSeriesTotal = root.count("max_series_total", in: 1...10_000_000) ?? maximumSeriesTotal
        forgetAfterNanoseconds = root.age("forget_after") ?? forgetAfterNanoseconds
        forgetRemovedAfterNanoseconds = root.age("forget_removed_after") ?? forgetRemovedAfterNanoseconds
    }
}

extension Section {
    fileprivate func count(_ key: String, in range: ClosedRange<Int>) -> Int? {
        number(key, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            $0 == $0.rounded() && $0 >= Double(range.lowerBound) && $0 <= Double(range.upperBound)
        }.map { Int($0) }
    }

    fileprivate func age(_ key: String) -> Int64? {
        let longest: Int64 = 3650 * 86_400_000_000_000
        return duration(key, expected: "1s to 3650d, as \(DurationText.form)") { $0 >= 1_000_000_000 && $0 <= longest }
    }
}

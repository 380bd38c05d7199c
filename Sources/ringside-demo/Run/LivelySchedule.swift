extension DemoOptions {
    /// The capacity of the last bot's ring if bursts are expected. At full speed a bot fills it in a few milliseconds,
    /// which is shorter than the collector leaves a calm ring alone. At a calm rate it holds records of some seconds.
    static let smallRingRecords = 16_384

    /// Returns the faults of a bot, the lively schedule included.
    func faults(ofBot number: Int) -> [Fault] {
        (faults + (isLively ? lively : [])).filter { $0.concerns(bot: number) }
    }

    /// A schedule that shows within a minute how trouble looks and how it ends. One bot alone has each trouble, so that
    /// the others stay as a comparison.
    private var lively: [Fault] {
        [
            Fault(
                bot: 1, kind: .slowVenue, startNanoseconds: 15_000_000_000, durationNanoseconds: 15_000_000_000,
                periodNanoseconds: 60_000_000_000),
            Fault(
                bot: botCount, kind: .burst, startNanoseconds: 80_000_000_000, durationNanoseconds: 500_000_000),
        ]
    }

    /// Returns the capacity of a bot's ring in records; nil for the usual one.
    func ringRecords(ofBot number: Int) -> Int? {
        (isLively || page != nil) && number == botCount ? Self.smallRingRecords : nil
    }
}

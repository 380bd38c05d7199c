internal import Ringside

/// A load for a collector: a number of bots with a number of series in all, written in turn from one thread.
final class CollectorLoad {
    static let bots = 4
    private let rings: UnsafeMutableBufferPointer<FilledBot>
    private let values: [Double]

    init(in directory: ScratchDirectory, series: Int, bots: Int = bots) throws {
        values = FilledRings.spreadValues()
        let count = min(bots, series)
        rings = .allocate(capacity: count)
        for index in 0..<count {
            let own = series / count + (index < series % count ? 1 : 0)
            let options = AttachOptions(directory: directory.path, metricCapacity: max(64, own))
            rings.initializeElement(
                at: index, to: try FilledBot(Telemetry.attach("bot\(index)", options: options), series: own))
        }
    }

    deinit {
        _ = rings.deinitialize()
        rings.deallocate()
    }

    /// Writes records, spread evenly over the bots. Each has the time of its writing.
    func write(_ records: Int) {
        let (share, rest) = records.quotientAndRemainder(dividingBy: rings.count)
        for index in rings.indices { rings[index].fill(share + (index < rest ? 1 : 0), values) }
    }
}

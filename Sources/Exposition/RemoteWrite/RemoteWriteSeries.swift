internal import Glibc

/// The series of one moment in the order in which they were sent. Their encoded labels are one after the other in one
/// array.
struct RemoteWriteSeries: Sendable {
    private var bytes: [UInt8] = []
    /// The end of each series' labels.
    private var ends: [Int] = []
    private var areHistograms: [Bool] = []

    var count: Int { ends.count }

    /// Returns whether a series is a native histogram.
    func isHistogram(at index: Int) -> Bool { areHistograms[index] }

    /// Adds the series of a sample.
    mutating func add(_ sample: RemoteWriteLabels.Sample, isHistogram: Bool, _ encoder: inout RemoteWriteLabels) {
        encoder.write(sample, to: &bytes)
        ends.append(bytes.count)
        areHistograms.append(isHistogram)
    }

    private func range(at index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }

    /// Calls `body` with the labels of a series.
    func withLabels<Result>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range(at: index)])) }
    }

    /// Returns the labels of a series.
    func labels(at index: Int) -> [UInt8] { Array(bytes[range(at: index)]) }

    /// Returns whether the labels of a series are the same as those of a series of another moment.
    fileprivate func hasSameLabels(at index: Int, as other: RemoteWriteSeries, at place: Int) -> Bool {
        let (one, two) = (range(at: index), other.range(at: place))
        guard one.count == two.count, !one.isEmpty else { return false }
        return bytes.withUnsafeBufferPointer { mine in
            other.bytes.withUnsafeBufferPointer { theirs in
                memcmp(mine.baseAddress! + one.lowerBound, theirs.baseAddress! + two.lowerBound, one.count) == 0
            }
        }
    }
}

/// Finds the series of the last moment that are not sent any more.
///
/// Most moments have the same series in the same order. Then each series is compared with one other, and nothing is
/// hashed.
struct EndedSeries {
    let last: RemoteWriteSeries
    private var isSent: [Bool]
    /// The place at which the search for the next series begins.
    private var next = 0
    /// Series that were not found near that place.
    private var elsewhere: Set<[UInt8]> = []

    /// The greatest number of series that may have ended between two that continue, so that the second one is found at
    /// once.
    private static let reach = 32

    init(last: RemoteWriteSeries) {
        self.last = last
        isSent = [Bool](repeating: false, count: last.count)
    }

    /// Records that a series is sent.
    mutating func note(_ series: RemoteWriteSeries, at index: Int) {
        for place in next..<min(next + Self.reach, last.count)
        where series.hasSameLabels(at: index, as: last, at: place) {
            isSent[place] = true
            next = place + 1
            return
        }
        if last.count > 0 { elsewhere.insert(series.labels(at: index)) }
    }

    /// The indices of the series of the last moment that were not sent.
    var indices: [Int] {
        (0..<last.count).filter { !isSent[$0] && (elsewhere.isEmpty || !elsewhere.contains(last.labels(at: $0))) }
    }
}

internal import CBench

/// The processors that this process may use, in their order.
enum Processors {
    static let allowed: [Int32] = {
        var processors = [Int32](repeating: 0, count: 1024)
        let count = bench_processors(&processors, 1024)
        return Array(processors.prefix(Int(count)))
    }()

    /// Where the side that is measured runs; nil where the system does not say.
    static var ours: Int32? { allowed.first }
    /// Where its reader runs; nil on a machine with one processor.
    static var partners: Int32? { allowed.count > 1 ? allowed.last : nil }

    /// Binds the calling thread; harmless where there is nothing to choose.
    static func pin(to processor: Int32?) {
        if let processor { _ = bench_pin(processor) }
    }
}

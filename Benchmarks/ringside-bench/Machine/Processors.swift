internal import CBench

/// The processors that this process may use, in their order.
enum Processors {
    static let allowed: [Int32] = {
        var processors = [Int32](repeating: 0, count: 1024)
        let count = bench_processors(&processors, 1024)
        return Array(processors.prefix(Int(count)))
    }()

    /// The processor of the measured side; nil if the system does not report any.
    static var ours: Int32? { allowed.first }
    /// The processor of its reader; nil on a machine with one processor.
    static var partners: Int32? { allowed.count > 1 ? allowed.last : nil }

    /// Binds the calling thread to a processor. Does nothing if there is no choice.
    static func pin(to processor: Int32?) {
        if let processor { _ = bench_pin(processor) }
    }
}

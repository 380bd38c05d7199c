internal import Glibc

/// The model behind the signal: one neuron.
struct SignalModel {
    struct Features {
        /// For the best queues, -1 to 1.
        var imbalance: Double
        var orderFlow: Double
        /// For the middle price, in spreads.
        var momentum: Double
    }

    /// Computes the signal's strength.
    ///
    /// - Returns: The strength, -1 (sell) to 1 (buy); nil for features that are not numbers, such as those of a locked
    ///   book.
    func infer(_ features: Features) -> Double? {
        let sum = 0.5 * features.imbalance + 0.8 * features.orderFlow + 0.5 * features.momentum
        return sum.isFinite ? tanh(sum) : nil
    }
}

/// An instrument that a ``Family`` can hold: a counter, a gauge or a histogram.
public protocol Instrument {}

/// Metrics of one name that differ in one label. The values of this label become known at run time.
///
/// ```swift
/// let fills = try telemetry.counterFamily("fills_total", help: "Fills.", label: "symbol", limit: 100)
/// let apple = fills["AAPL"]      // once a symbol, off the hot path
/// apple.increment()              // then as any counter
/// ```
///
/// A new value is registered. If the limit is reached, or the value cannot be registered, the `other` handle is used
/// instead, and ``overflowed`` counts the look-up. Registering costs some microseconds, and each later look-up is one
/// in a dictionary: keep the handle where the hot path can reach it.
///
/// Not `Sendable`: it belongs to the ring's one producer. It may outlive its ring, and then returns inert handles.
public final class Family<Value: Instrument> {
    /// The instrument used for every value beyond the limit: the series with the label value `other`.
    public let other: Value
    /// The number of look-ups that were answered with ``other`` because of the limit, or because the value was refused.
    public private(set) var overflowed: UInt64 = 0
    private var known: [String: Value] = [:]
    private let limit: Int
    private let register: (String) throws(RegistrationError) -> Value

    /// - Parameters:
    ///   - limit: The number of values registered at most, beside `other`.
    ///   - register: Registers the metric with the given value of the label.
    init(limit: Int, register: @escaping (String) throws(RegistrationError) -> Value) throws(RegistrationError) {
        self.limit = limit
        self.register = register
        other = try register("other")
    }

    /// Returns the handle of a label value. Cold: not for the hot path.
    public subscript(value: String) -> Value {
        if let handle = known[value] { return handle }
        guard known.count < limit, let handle = try? register(value) else {
            overflowed += 1
            return other
        }
        known[value] = handle
        return handle
    }
}

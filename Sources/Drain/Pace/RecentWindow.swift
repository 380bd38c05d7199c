/// The values of the last minute, in slots of six seconds: one value for each slot, and nil for an empty slot.
///
/// The result covers the last minute and at most six seconds more. Thread rule: one thread at a time.
struct RecentWindow<Value: Sendable>: Sendable {
    private var slots: [Value?]
    private var current = Int64.min

    static var slotNanoseconds: Int64 { 6_000_000_000 }
    private static var count: Int64 { 11 }

    init() { slots = Array(repeating: nil, count: Int(Self.count)) }

    /// Changes the value of the slot that contains `now`: nil if it is empty. Time does not go back.
    mutating func note(now: Int64, _ change: (inout Value?) -> Void) {
        advance(to: now)
        change(&slots[index(current)])
    }

    /// Returns the values of the last minute, in no particular order.
    mutating func values(now: Int64) -> [Value] {
        advance(to: now)
        return slots.compactMap { $0 }
    }

    /// Returns the values of the newest slots, the present one included.
    mutating func values(now: Int64, slots count: Int) -> [Value] {
        advance(to: now)
        return (0..<Int64(count)).compactMap { slots[index(current - $0)] }
    }

    private func index(_ slot: Int64) -> Int {
        let index = slot % Self.count
        return Int(index < 0 ? index + Self.count : index)
    }

    private mutating func advance(to now: Int64) {
        let quotient = now / Self.slotNanoseconds
        let slot = now % Self.slotNanoseconds < 0 ? quotient - 1 : quotient
        guard slot > current else { return }
        let first = current == .min ? slot - Self.count + 1 : max(current + 1, slot - Self.count + 1)
        for passed in first...slot { slots[index(passed)] = nil }
        current = slot
    }
}

extension RecentWindow where Value: Comparable {
    /// Records a value if it is the greatest of its slot.
    mutating func noteGreatest(_ value: Value, now: Int64) {
        note(now: now) { $0 = max($0 ?? value, value) }
    }

    /// Returns the greatest value of the last minute; nil if there is none.
    mutating func greatest(now: Int64) -> Value? { values(now: now).max() }

    /// Returns the greatest value of the newest slots, the present one included; nil if there is none.
    mutating func greatest(now: Int64, slots count: Int) -> Value? { values(now: now, slots: count).max() }
}

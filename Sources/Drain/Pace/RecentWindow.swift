/// What was noted over the last minute, by slots of six seconds: a value a slot, and none for a slot without a note.
///
/// What is shown covers the last minute and at most six seconds more. Thread rule: one thread at a time.
struct RecentWindow<Value: Sendable>: Sendable {
    private var slots: [Value?]
    private var current = Int64.min

    static var slotNanoseconds: Int64 { 6_000_000_000 }
    private static var count: Int64 { 11 }

    init() { slots = Array(repeating: nil, count: Int(Self.count)) }

    /// Changes the value of the slot that holds `now`: nil where nothing was noted in it yet. Time does not go back.
    mutating func note(now: Int64, _ change: (inout Value?) -> Void) {
        advance(to: now)
        change(&slots[place(current)])
    }

    /// The values of the last minute, in no order.
    mutating func values(now: Int64) -> [Value] {
        advance(to: now)
        return slots.compactMap { $0 }
    }

    private func place(_ slot: Int64) -> Int {
        let place = slot % Self.count
        return Int(place < 0 ? place + Self.count : place)
    }

    private mutating func advance(to now: Int64) {
        let quotient = now / Self.slotNanoseconds
        let slot = now % Self.slotNanoseconds < 0 ? quotient - 1 : quotient
        guard slot > current else { return }
        let first = current == .min ? slot - Self.count + 1 : max(current + 1, slot - Self.count + 1)
        for passed in first...slot { slots[place(passed)] = nil }
        current = slot
    }
}

extension RecentWindow where Value: Comparable {
    /// Keeps the greatest value of each slot.
    mutating func noteGreatest(_ value: Value, now: Int64) {
        note(now: now) { $0 = max($0 ?? value, value) }
    }

    /// The greatest value of the last minute; nil where none was noted.
    mutating func greatest(now: Int64) -> Value? { values(now: now).max() }
}

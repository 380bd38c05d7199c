/// The numbers of values on either side of a threshold, each multiplied by its weight.
package struct EventCounts: Hashable, Sendable {
    package var good: UInt64
    package var bad: UInt64

    package init(good: UInt64 = 0, bad: UInt64 = 0) {
        self.good = good
        self.bad = bad
    }

    package var total: UInt64 { good &+ bad }

    package static func &+ (a: EventCounts, b: EventCounts) -> EventCounts {
        EventCounts(good: a.good &+ b.good, bad: a.bad &+ b.bad)
    }

    package static func &- (a: EventCounts, b: EventCounts) -> EventCounts {
        EventCounts(good: a.good &- b.good, bad: a.bad &- b.bad)
    }
}

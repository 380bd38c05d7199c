/// A clock that stands still until a test moves it.
package struct ManualClock: Sendable {
    package private(set) var nanoseconds: UInt64

    package init(nanoseconds: UInt64 = 0) {
        self.nanoseconds = nanoseconds
    }

    package mutating func advance(nanoseconds step: UInt64) { nanoseconds += step }
    package mutating func advance(seconds: Double) { nanoseconds += UInt64(seconds * 1e9) }
}

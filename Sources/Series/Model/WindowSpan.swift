/// A sliding window and the length of the slice by which it moves.
package struct WindowSpan: Hashable, Sendable {
    /// The name that exports show, such as `5s` or `1m`.
    package let name: String
    package let lengthNanoseconds: Int64
    package let sliceNanoseconds: Int64

    /// - Precondition: The length is a multiple of the slice.
    package init(name: String, lengthNanoseconds: Int64, sliceNanoseconds: Int64) {
        precondition(sliceNanoseconds > 0 && lengthNanoseconds % sliceNanoseconds == 0)
        self.name = name
        self.lengthNanoseconds = lengthNanoseconds
        self.sliceNanoseconds = sliceNanoseconds
    }

    /// 1 s by 100 ms, 5 s by 500 ms, 1 min by 1 s.
    package static let standard = [
        WindowSpan(name: "1s", lengthNanoseconds: 1_000_000_000, sliceNanoseconds: 100_000_000),
        WindowSpan(name: "5s", lengthNanoseconds: 5_000_000_000, sliceNanoseconds: 500_000_000),
        WindowSpan(name: "1m", lengthNanoseconds: 60_000_000_000, sliceNanoseconds: 1_000_000_000),
    ]
}

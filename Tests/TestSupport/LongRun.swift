import Glibc

/// Whether the long lanes are requested, by `RINGSIDE_LONG=1`.
package let isLongRun = getenv("RINGSIDE_LONG").map { String(cString: $0) } == "1"

extension Sequence {
    /// Returns all elements in a long run, and the first of every `count` in an ordinary run. It is for loops over all
    /// cases, because all tests share the ten minutes of an ordinary run.
    package func ordinarily(oneOf count: Int) -> [Element] {
        enumerated().filter { isLongRun || $0.offset % count == 0 }.map(\.element)
    }
}

/// Whether only short tests are requested, by `RINGSIDE_SHORT=1`. tools/check leaves out tests that compute for
/// seconds.
package let isShortRun = getenv("RINGSIDE_SHORT").map { String(cString: $0) } == "1"

import Glibc

/// Whether the long lanes are asked for, by `RINGSIDE_LONG=1`.
package let isLongRun = getenv("RINGSIDE_LONG").map { String(cString: $0) } == "1"

extension Sequence {
    /// All elements in a long run, in an ordinary one the first of every `count`: a loop over all cases that shares the ordinary
    /// run's ten minutes with others.
    package func ordinarily(oneOf count: Int) -> [Element] {
        enumerated().filter { isLongRun || $0.offset % count == 0 }.map(\.element)
    }
}

/// Whether only short tests are asked for, by `RINGSIDE_SHORT=1`: tools/check leaves out what computes for seconds.
package let isShortRun = getenv("RINGSIDE_SHORT").map { String(cString: $0) } == "1"

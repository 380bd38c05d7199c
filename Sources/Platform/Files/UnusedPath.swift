internal import Glibc

package enum UnusedPath {
    /// Returns the path, or `PATH-2`, `PATH-3` and so on if it exists, because a clock that was set back yields the
    /// same time twice.
    package static func like(_ wanted: String) -> String {
        var (path, number) = (wanted, 1)
        while access(path, F_OK) == 0 {
            number += 1
            path = "\(wanted)-\(number)"
        }
        return path
    }
}

internal import Glibc
internal import RingReader

extension RingDirectory {
    /// Returns whether there is a file of that ring's name.
    func holds(_ name: RingName) -> Bool { access(path(of: name), F_OK) == 0 }
}

/// Comparison of files by device and inode.
extension Segment {
    func isSameFile(as other: Segment) -> Bool {
        guard let state = fileState, let otherState = other.fileState else { return false }
        return state.device == otherState.device && state.inode == otherState.inode
    }

    /// Returns whether the path still refers to the mapped file.
    func isStill(at path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, let state = fileState else { return false }
        return UInt64(status.st_dev) == state.device && UInt64(status.st_ino) == state.inode
    }
}

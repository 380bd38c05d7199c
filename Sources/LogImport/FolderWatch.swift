internal import Glibc

/// A watch that wakes when a file in a folder grows, comes, goes or is renamed (inotify(7)). If the system grants no
/// watch, or the file system reports nothing, each wait ends by its time limit.
final class FolderWatch {
    private let inotify: Int32

    init(folderOf path: String) {
        inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard inotify >= 0 else { return }
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let events = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE
        _ = inotify_add_watch(inotify, folder, UInt32(events))
        // A link's target is in another folder.
        if let target = realpath(path, nil) {
            _ = inotify_add_watch(inotify, target, UInt32(IN_MODIFY))
            free(target)
        }
    }

    deinit { if inotify >= 0 { close(inotify) } }

    /// Returns when something has happened since the last call, or after `milliseconds`.
    func wait(milliseconds: Int32) {
        var ready = pollfd(fd: inotify, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, milliseconds) > 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while Glibc.read(inotify, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}

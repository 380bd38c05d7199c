import Glibc
internal import Platform
import Synchronization

/// One thread that does jobs in the order in which they came: where answers are written and compressed, so that neither the
/// drain agent nor the server's own thread ever does.
///
/// `submit` may be called from any thread, and costs a lock and a semaphore.
final class RenderThread: @unchecked Sendable {
    // Unchecked: `thread` is written once in `init`; everything else is behind the mutex or a semaphore.
    private var thread: NamedThread?
    /// Raised once for each job that waits, and for the end.
    private let wanted: UnsafeMutablePointer<sem_t>
    private let state = Mutex(State())

    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isEnding = false
    }

    /// - Throws: where the system gives no thread.
    init() throws(SystemRefusal) {
        wanted = .allocate(capacity: 1)
        sem_init(wanted, 0, 0)
        thread = try NamedThread("render") { [self] in run() }
    }

    deinit {
        sem_destroy(wanted)
        wanted.deallocate()
    }

    func submit(_ job: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isEnding { state.jobs.append(job) }
            return state.isEnding
        }
        // What comes after the end is done all the same: somebody waits for it.
        if isOver { job() } else { sem_post(wanted) }
    }

    /// Waits until every job is done and the thread has ended. Called once.
    func finish() {
        state.withLock { $0.isEnding = true }
        sem_post(wanted)
        thread?.join()
    }

    private func run() {
        while true {
            while sem_wait(wanted) != 0 {}
            let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
            // The end is raised last, when no job can follow.
            guard let job else { return }
            job()
        }
    }
}

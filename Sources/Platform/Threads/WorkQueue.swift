internal import Glibc
internal import Synchronization

/// A queue of jobs, and the threads that run them.
///
/// Members may be used from any thread. Adding a job costs a lock and a semaphore, and a system call if a thread
/// sleeps.
package final class WorkQueue<Job: Sendable>: @unchecked Sendable {
    // Unchecked: `threads` is written by `init` before any other call; a semaphore is thread-safe.
    private struct State {
        var waiting: [Job] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private var threads: [NamedThread] = []
    /// Posted once for each waiting job, and once for the end of each thread.
    private let wanted: UnsafeMutablePointer<sem_t>
    private let choose: @Sendable (inout [Job]) -> Job?
    private let work: @Sendable (Job) -> Void

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - name: The name of each thread, 15 bytes at most.
    ///   - threads: The number of jobs that run in parallel.
    ///   - choose: Removes the next job from the waiting ones; by default the oldest. Called with the lock held.
    ///   - work: Runs a job, on one of the threads.
    /// - Throws: The system's refusal of a thread.
    package init(
        _ name: String, threads count: Int = 1,
        choose: @escaping @Sendable (inout [Job]) -> Job? = { $0.isEmpty ? nil : $0.removeFirst() },
        work: @escaping @Sendable (Job) -> Void
    ) throws(SystemRefusal) {
        self.choose = choose
        self.work = work
        wanted = .allocate(capacity: 1)
        sem_init(wanted, 0, 0)
        do throws(SystemRefusal) {
            for _ in 0..<max(1, count) { threads.append(try NamedThread(name) { [self] in run() }) }
        } catch {
            finish()
            throw error
        }
    }

    deinit {
        sem_destroy(wanted)
        wanted.deallocate()
    }

    package var isClosed: Bool { state.withLock(\.isClosed) }

    /// Adds a job.
    ///
    /// - Returns: False if the queue is closed; the job is not run then.
    package func add(_ job: Job) -> Bool { update { $0.append(job) } != nil }

    /// Changes the waiting jobs, with the lock held.
    ///
    /// - Returns: Nil if the queue is closed; nothing is changed then.
    package func update<Result: Sendable>(_ change: (inout [Job]) -> Result) -> Result? {
        let (result, added) = state.withLock { state -> (Result?, Int) in
            guard !state.isClosed else { return (nil, 0) }
            let before = state.waiting.count
            let result = change(&state.waiting)
            return (result, state.waiting.count - before)
        }
        // A removed job leaves its post behind: a thread that finds no job waits again.
        for _ in 0..<max(0, added) { sem_post(wanted) }
        return result
    }

    /// Accepts no more jobs, passes the waiting ones to `giveUp` instead of running them, and returns when the threads
    /// have ended. Later calls do nothing.
    package func close(_ giveUp: (Job) -> Void) {
        let (left, isFirst) = state.withLock { state in
            defer { (state.waiting, state.isClosed) = ([], true) }
            return (state.waiting, !state.isClosed)
        }
        for job in left { giveUp(job) }
        if isFirst { joinThreads() }
    }

    /// Accepts no more jobs, and returns when the waiting ones are done and the threads have ended. Later calls do
    /// nothing.
    package func finish() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { joinThreads() }
    }

    private func joinThreads() {
        for _ in threads { sem_post(wanted) }
        for thread in threads { thread.join() }
    }

    private func run() {
        while true {
            while sem_wait(wanted) != 0 {}
            let (job, isClosed) = state.withLock { (choose(&$0.waiting), $0.isClosed) }
            if let job {
                work(job)
            } else if isClosed {
                return
            }
        }
    }
}

internal import Platform

/// One thread that runs jobs in order. It writes and compresses answers, so that neither the drain agent nor the
/// server's thread has to. Members may be used from any thread.
struct RenderThread: Sendable {
    private let queue: WorkQueue<@Sendable () -> Void>

    /// - Throws: the system's refusal of a thread.
    init() throws(SystemRefusal) { queue = try WorkQueue("render") { $0() } }

    func submit(_ job: @escaping @Sendable () -> Void) {
        // After the end a job runs on the caller's thread, since a connection waits for its answer.
        if !queue.add(job) { job() }
    }

    /// Returns when every job is done and the thread has ended.
    func finish() { queue.finish() }
}

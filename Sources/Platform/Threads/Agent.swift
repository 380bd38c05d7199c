/// Work that one thread does in turns. A test calls the turns itself.
package protocol Agent: AnyObject {
    /// Does one bounded turn of work.
    ///
    /// - Returns: The amount of work done; 0 if there was nothing to do.
    func doWork() -> Int

    /// Waits until there may be work again: at most 100 ms, or longer if the runner can end the wait.
    func idle()

    /// Does the last turn: finishes what has begun.
    func close()
}

/// Runs an agent's turns on a named thread of its own until it is stopped.
///
/// The agent is made on that thread and never leaves it, so it need not be `Sendable`.
package final class AgentRunner: @unchecked Sendable {
    // Unchecked: `thread` is written once by `start` before any other call; the flag is behind the mutex.
    private var thread: NamedThread?
    private let stopping: Flag
    private let name: String
    private let wake: @Sendable () -> Void
    private let makeAgent: @Sendable () -> any Agent

    /// - Parameters:
    ///   - name: The thread's name, 15 bytes at most.
    ///   - wake: Ends the agent's wait when it must stop.
    ///   - makeAgent: Called once, on the new thread.
    package init(
        name: String, wake: @escaping @Sendable () -> Void = {}, makeAgent: @escaping @Sendable () -> any Agent
    ) {
        self.name = name
        self.wake = wake
        self.makeAgent = makeAgent
        stopping = Flag()
    }

    /// - Throws: The system's refusal of a thread; then nothing has begun.
    package func start() throws(SystemRefusal) { thread = try NamedThread(name) { [self] in run() } }

    /// Lets the agent do its last turn and waits for its thread, at most one idle and one turn. Called once.
    package func stop() {
        stopping.raise()
        wake()
        thread?.join()
    }

    private func run() {
        let agent = makeAgent()
        while !stopping.isRaised {
            _ = agent.doWork()
            agent.idle()
        }
        agent.close()
    }
}

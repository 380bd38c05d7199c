/// Work that is done in turns by one thread. A test turns the crank by hand.
package protocol Agent: AnyObject {
    /// Does one bounded turn.
    ///
    /// - Returns: how much was done; 0 when there was nothing to do.
    func doWork() -> Int

    /// Waits until there may be something to do again, for 100 ms at most.
    func idle()

    /// The last turn: finishes what has begun.
    func close()
}

/// Turns one agent's crank on a named thread of its own until it is stopped.
///
/// The agent is made on that thread and never leaves it, so it need not be `Sendable`.
package final class AgentRunner: @unchecked Sendable {
    // Unchecked: `thread` is written once by `start` before any other call; the flag is behind the mutex.
    private var thread: NamedThread?
    private let stopping: Flag
    private let name: String
    private let makeAgent: @Sendable () -> any Agent

    /// - Parameters:
    ///   - name: The thread's name, 15 bytes at most.
    ///   - makeAgent: Called once, on the new thread.
    package init(name: String, makeAgent: @escaping @Sendable () -> any Agent) {
        self.name = name
        self.makeAgent = makeAgent
        stopping = Flag()
    }

    /// - Throws: where the system gives no thread; nothing has begun then.
    package func start() throws(SystemRefusal) { thread = try NamedThread(name) { [self] in run() } }

    /// Lets the agent do its last turn and waits for its thread to end: as long as one idle and one turn take. Called once.
    package func stop() {
        stopping.raise()
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

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Platform

@Suite("A work queue") struct WorkQueueTests {
    /// Holds a queue's thread until it is opened.
    private final class Gate: Sendable {
        private let isOpen = Flag()
        func open() { isOpen.raise() }
        func pass() { while !isOpen.isRaised { usleep(100) } }
    }

    private final class Journal: Sendable {
        private let jobs = Mutex<[Int]>([])
        func note(_ job: Int) { jobs.withLock { $0.append(job) } }
        var all: [Int] { jobs.withLock { $0 } }
    }

    @Test("does all jobs of many threads once before it finishes, and each thread's in their order", arguments: [1, 4])
    func order(threads: Int) throws {
        let done = Journal()
        let queue = try WorkQueue<Int>("test", threads: threads) { done.note($0) }
        let callers = try (0..<4).map { caller in
            try NamedThread("caller") { for job in 0..<500 { #expect(queue.add(caller * 1000 + job)) } }
        }
        for caller in callers { caller.join() }
        queue.finish()
        #expect(done.all.sorted() == (0..<4).flatMap { caller in (0..<500).map { caller * 1000 + $0 } })
        if threads == 1 {
            for caller in 0..<4 {
                #expect(done.all.filter { $0 / 1000 == caller } == (0..<500).map { caller * 1000 + $0 })
            }
        }
        #expect(!queue.add(1) && queue.isClosed)
        #expect(queue.update { $0.count } == nil)
        queue.finish()
        queue.close { _ in Issue.record("nothing waits") }
    }

    @Test("gives up the jobs that wait when it is closed, and finishes the one that runs")
    func close() throws {
        let (gate, done) = (Gate(), Journal())
        let queue = try WorkQueue<Int>("test") { job in
            gate.pass()
            done.note(job)
        }
        #expect(queue.add(0))
        // The thread takes the first job, and the others wait.
        while queue.update({ $0.count }) != 0 { usleep(100) }
        for job in 1...3 { #expect(queue.add(job)) }
        var left: [Int] = []
        queue.close { job in
            left.append(job)
            gate.open()
        }
        #expect(left == [1, 2, 3])
        #expect(done.all == [0])
    }

    @Test("takes the job that is chosen, and survives jobs that are taken away")
    func choice() throws {
        let (gate, done) = (Gate(), Journal())
        let queue = try WorkQueue<Int>("test", choose: { $0.popLast() }) { job in
            if job == 0 { gate.pass() }
            done.note(job)
        }
        #expect(queue.add(0))
        while queue.update({ $0.count }) != 0 { usleep(100) }
        for job in 1...4 { #expect(queue.add(job)) }
        #expect(queue.update { waiting in waiting.remove(at: 1) } == 2)
        gate.open()
        queue.finish()
        #expect(done.all == [0, 4, 3, 1])
    }
}

import Drain
import Platform
import Series
import Synchronization
import TestSupport
import Testing

@testable import Collector

/// The agent behind the history and the JSON dumps, turned by hand.
@Suite struct SnapshotAgentTests {
    private final class Scene: Sendable {
        let now = Atomic<Int64>(1_000)
        /// Snapshots are numbered by their time.
        let asked = Atomic<Int64>(0)
        let taken = Mutex<[Int64]>([])
        let readiness = Readiness()
        let wakeup: Wakeup

        init() throws { wakeup = try Wakeup() }

        func agent(isEager: Bool) -> SnapshotAgent {
            SnapshotAgent(
                SnapshotAgent.Source(
                    next: { [self] in
                        emptySnapshot(unixNanoseconds: asked.add(1, ordering: .relaxed).newValue)
                    },
                    last: { emptySnapshot(unixNanoseconds: 99) }),
                readiness: readiness, wakeup: wakeup, isEager: isEager,
                monotonic: { [self] in now.load(ordering: .relaxed) }, nanosecondsToNext: { 50 },
                take: { [self] snapshot in taken.withLock { $0.append(snapshot.unixNanoseconds) } })
        }

        var numbers: [Int64] { taken.withLock { $0 } }
        func pass(_ nanoseconds: Int64) { now.add(nanoseconds, ordering: .relaxed) }
    }

    @Test("nothing is taken before the collector is ready, then one snapshot at each interval and the last at the end")
    func intervals() throws {
        let scene = try Scene()
        let agent = scene.agent(isEager: false)
        #expect(agent.doWork() == 0)
        agent.close()
        #expect(scene.numbers.isEmpty)
        scene.readiness.markReady()
        #expect(agent.doWork() == 0)
        scene.pass(49)
        #expect(agent.doWork() == 0)
        scene.pass(1)
        #expect(agent.doWork() == 1)
        #expect(agent.doWork() == 0)
        scene.pass(500)
        #expect(agent.doWork() == 1)
        #expect(agent.doWork() == 0)
        agent.close()
        #expect(scene.numbers == [1, 2, 99])
    }

    @Test("an eager agent takes its first snapshot at once, and a signal has the next one taken before it is due")
    func eager() throws {
        let scene = try Scene()
        scene.readiness.markReady()
        let agent = scene.agent(isEager: true)
        #expect(agent.doWork() == 1)
        #expect(agent.doWork() == 0)
        scene.wakeup.signal()
        agent.idle()
        #expect(agent.doWork() == 1)
        agent.idle()
        #expect(agent.doWork() == 0)
        #expect(scene.numbers == [1, 2])
    }
}

import Platform
import Rules
import Series
import Testing

@testable import Drain

@Suite("What the drain leaves for the notifier") struct AlertMailboxTests {
    private func event(_ state: ObjectiveSnapshot.State) -> AlertMailbox.ObjectiveEvent {
        AlertMailbox.ObjectiveEvent(
            change: .state(state), objective: "acks", bot: "a", target: 0.99, unixNanoseconds: 1)
    }

    @Test("the state of objectives before an event is not handed over with it, and their state after it is")
    func order() throws {
        let mailbox = AlertMailbox(wakeup: try Wakeup())
        mailbox.post(changes: [], firing: [], objectives: [], unixNanoseconds: 1)
        mailbox.post(event(.violated))
        var batch = mailbox.take()
        #expect(batch.objectives.count == 1 && batch.firingObjectives == nil && batch.firing != nil)
        mailbox.post(event(.met))
        mailbox.post(changes: [], firing: [], objectives: [event(.violated)], unixNanoseconds: 2)
        batch = mailbox.take()
        #expect(batch.objectives.count == 1 && batch.firingObjectives?.count == 1)
    }
}

/// The beginning or the end of an alert. Every snapshot contains it until the history has stored it.
package struct AlertEvent: Equatable, Sendable {
    /// Ascending, from 1 in each run of the collector.
    package var number: UInt64
    /// The alert's state at that moment.
    package var alert: AlertSnapshot

    package init(number: UInt64, alert: AlertSnapshot) {
        self.number = number
        self.alert = alert
    }
}

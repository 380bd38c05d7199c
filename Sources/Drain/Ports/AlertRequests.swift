package import Rules
package import Series

/// Requests to resolve and to silence alerts.
package typealias AlertRequests = OperatorRequests<AlertCommand, AlertAnswer>

package enum AlertCommand: Equatable, Sendable {
    /// Ends the alert of this id.
    case resolve(String)
    case silence(SilenceRequest)
    /// Ends the silence of this number.
    case unsilence(UInt64)
}

package enum AlertAnswer: Equatable, Sendable {
    case resolved
    /// There is no alert of this id; these are the known ids.
    case unknown([String])
    /// It does not fire; its state is this one.
    case doesNotFire(AlertSnapshot.State)
    /// - alerts: The number of present alerts of bots that it covers.
    /// - names: The names of all configured alerts.
    case silenced(SilenceSnapshot, alerts: Int, names: [String])
    /// The limit of silences is reached.
    case full
    case unsilenced(SilenceSnapshot)
    /// There is no silence of this number; these are the known numbers.
    case noSilence([UInt64])
}

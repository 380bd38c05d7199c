internal import JSON

/// The alerts and silences in `/latest`.
struct AlertsView: Decodable {
    struct Alert: Decodable {
        let id, alert, bot, severity, state, condition: String
        let value: Double?
        let labels: [String: String]
        /// Unix seconds, as are the next two.
        let since: Double
        let unknownSince, silencedUntil: Double?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CollectorKey.self)
            (id, alert, bot) = (try members.value("id"), try members.value("alert"), try members.value("bot"))
            (severity, state) = (try members.value("severity"), try members.value("state"))
            (condition, labels) = (try members.value("condition"), try members.value("labels"))
            (value, since) = (try members.number("value"), try members.value("since"))
            (unknownSince, silencedUntil) = (
                try members.optional("unknown_since"), try members.optional("silenced_until")
            )
        }
    }

    struct Silence: Decodable {
        let id: UInt64
        let alert, bot, reason: String
        let since, until: Double
    }

    /// Unix seconds.
    let time: Double
    let alerts: [Alert]
    let silences: [Silence]
}

extension AlertsView {
    /// The members of `/latest` that the view was decoded from.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("time", time)
            $0.member("alerts", array: { for alert in alerts { $0.alert(alert) } })
            $0.member("silences", array: { for silence in silences { $0.silence(silence) } })
        }
        return json.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func alert(_ alert: AlertsView.Alert) {
        object {
            $0.member("id", alert.id)
            $0.member("alert", alert.alert)
            $0.member("bot", alert.bot)
            $0.member("severity", alert.severity)
            $0.member("state", alert.state)
            $0.member("condition", alert.condition)
            $0.member("value", alert.value)
            $0.member(
                "labels",
                object: { json in
                    for (name, value) in alert.labels.sorted(by: { $0.key < $1.key }) { json.member(name, value) }
                })
            $0.member("since", alert.since)
            $0.member("unknown_since", alert.unknownSince)
            $0.member("silenced", alert.silencedUntil != nil)
            $0.member("silenced_until", alert.silencedUntil)
        }
    }

    fileprivate mutating func silence(_ silence: AlertsView.Silence) {
        object {
            $0.member("id", silence.id)
            $0.member("alert", silence.alert)
            $0.member("bot", silence.bot)
            $0.member("reason", silence.reason)
            $0.member("since", silence.since)
            $0.member("until", silence.until)
        }
    }
}

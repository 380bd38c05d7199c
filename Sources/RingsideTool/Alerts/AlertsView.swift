internal import JSON

/// The alerts and silences in `/latest`.
struct AlertsView: Decodable {
    struct Alert: Decodable {
        let id, alert, bot, severity, state, condition: String
        let value: Double?
        /// "" if it has none, or the collector does not tell.
        let unit: String
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
            unit = try members.optional("unit") ?? ""
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

    /// A rule that has nothing to judge.
    struct WaitingRule: Decodable {
        let kind, name, metric, reason: String
        let nearest: String?
    }

    /// Unix seconds.
    let time: Double
    let alerts: [Alert]
    let silences: [Silence]
    let waiting: [WaitingRule]

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CollectorKey.self)
        (time, alerts) = (try members.value("time"), try members.value("alerts"))
        silences = try members.value("silences")
        waiting = try members.optional("waiting") ?? []
    }
}

extension AlertsView {
    /// The members of `/latest` that the view was decoded from.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("time", time)
            $0.member("alerts", array: { for alert in alerts { $0.alert(alert) } })
            $0.member("silences", array: { for silence in silences { $0.silence(silence) } })
            $0.member("waiting", array: { for rule in waiting { $0.waiting(rule) } })
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
            $0.member("unit", alert.unit)
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

    fileprivate mutating func waiting(_ rule: AlertsView.WaitingRule) {
        object {
            $0.member("kind", rule.kind)
            $0.member("name", rule.name)
            $0.member("metric", rule.metric)
            $0.member("nearest", rule.nearest)
            $0.member("reason", rule.reason)
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

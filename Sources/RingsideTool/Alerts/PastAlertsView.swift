internal import Arguments

/// The alerts in `/stats/history`.
struct PastAlertsView: Decodable {
    struct Alert: Decodable {
        let id, severity, reason: String
        let value: Double?
        /// Unix seconds; the end is nil while the alert fires.
        let began: Double
        let ended: Double?

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CollectorKey.self)
            (id, severity, reason) = (
                try members.value("id"), try members.value("severity"), try members.value("reason")
            )
            (value, began, ended) = (
                try members.number("value"), try members.value("began"), try members.optional("ended")
            )
        }
    }

    let alerts: [Alert]
    let leftOut: Int

    enum CodingKeys: String, CodingKey {
        case alerts
        case leftOut = "left_out"
    }

    func table(width: Int? = Terminal.columns) -> String {
        guard !alerts.isEmpty else { return "no alert fired\n" }
        var table = Table([
            .text("BEGAN"), .text("ENDED"), .number("FOR"), .text("ID"), .text("SEVERITY"), .number("VALUE"),
            .text("WHY IT ENDED"),
        ])
        for alert in alerts {
            table.append([
                Figures.time(unixSeconds: alert.began), alert.ended.map(Figures.time(unixSeconds:)) ?? "fires",
                alert.ended.map { Figures.age(seconds: $0 - alert.began) } ?? "-", alert.id.printable,
                alert.severity.printable, alert.value.map { Figures.real($0) } ?? "-",
                alert.ended == nil ? "-" : alert.reason.printable,
            ])
        }
        let more = leftOut > 0 ? "\(leftOut) older ones are left out; name an earlier --to\n" : ""
        return table.rendered(width: width) + more
    }
}

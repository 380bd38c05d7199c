internal import FoundationEssentials
internal import Series

extension AlertmanagerDefinition {
    init?(_ section: Section) {
        let destination = Destination(section, kind: "alertmanager")
        self.init(destination: destination ?? Destination(name: "", url: ""))
        selection = section.alertSelection()
        intervalSeconds =
            section.duration("interval", DurationText.Bounds(from: "1s", to: "1h", isWholeSeconds: true))
            .map { $0 / 1_000_000_000 } ?? intervalSeconds
        labels = section.labels("labels") ?? []
        sendsWatchdog = section.bool("watchdog") ?? true
        sendsObjectives = section.bool("objectives") ?? sendsObjectives
        generatorURL = section.text("generator_url", expected: "an address in quotes")
        guard destination != nil else { return nil }
    }
}

extension WebhookDefinition {
    init?(_ section: Section) {
        let destination = Destination(section, kind: "webhook")
        self.init(destination: destination ?? Destination(name: "", url: ""))
        selection = section.alertSelection()
        contentType =
            section.text("content_type", expected: "a media type in quotes, such as \"application/json\"")
            ?? contentType
        sendsResolved = section.bool("send_resolved") ?? true
        sendsObjectives = section.bool("objectives") ?? sendsObjectives
        watchdogSeconds =
            section.duration("watchdog", DurationText.Bounds(from: "1s", to: "1d", isWholeSeconds: true))
            .map { $0 / 1_000_000_000 }
        let isJSON = contentType.hasPrefix("application/json") && !section.isInDoubt("content_type")
        body = section.template("body", isJSON: isJSON)
        guard destination != nil else { return nil }
    }
}

extension Section {
    fileprivate func template(_ key: String, isJSON: Bool) -> NoticeTemplate? {
        guard let text = text(key, expected: "a text in quotes with {{names}} in it") else { return nil }
        do throws(NoticeTemplate.Problem) {
            let template = try NoticeTemplate(text)
            if isJSON, !template.filled(\.example).isJSON {
                note(
                    key,
                    "the text is not JSON once it is filled in; put quotes around each name but {{value}}, {{labels}} and "
                        + "{{startsAtUnix}}, or set content_type")
            }
            return template
        } catch {
            note(key, error.message)
            return nil
        }
    }
}

extension NoticeTemplate.Field {
    /// An example of the field's value.
    fileprivate var example: String {
        switch self {
        case .value, .startsAtUnix: "1"
        case .labels: "{}"
        default: "x"
        }
    }
}

extension String {
    fileprivate var isJSON: Bool {
        /// Accepts any JSON, since the decoder has parsed the whole document before it calls this.
        struct Anything: Decodable {
            init(from decoder: any Decoder) {}
        }
        return (try? JSONDecoder().decode(Anything.self, from: Data(utf8))) != nil
    }
}

internal import FoundationEssentials
internal import Series

extension AlertmanagerDefinition {
    init?(_ section: Section) {
        let destination = Destination(section, kind: "alertmanager")
        self.init(destination: destination ?? Destination(name: "", url: ""))
        selection = section.alertSelection()
        intervalSeconds =
            section.duration("interval", expected: "whole seconds from \"1s\" to \"1h\"") {
                $0 % 1_000_000_000 == 0 && (1_000_000_000...3_600_000_000_000).contains($0)
            }.map { $0 / 1_000_000_000 } ?? intervalSeconds
        labels = section.labels("labels") ?? []
        generatorURL = section.text("generator_url", expected: "an address")
        guard destination != nil else { return nil }
    }
}

extension WebhookDefinition {
    init?(_ section: Section) {
        let destination = Destination(section, kind: "webhook")
        self.init(destination: destination ?? Destination(name: "", url: ""))
        selection = section.alertSelection()
        contentType = section.text("content_type", expected: "a media type such as \"application/json\"") ?? contentType
        sendsResolved = section.bool("send_resolved") ?? true
        sendsObjectives = section.bool("objectives") ?? false
        body = section.template("body", isJSON: contentType.hasPrefix("application/json"))
        guard destination != nil else { return nil }
    }
}

extension Section {
    fileprivate func template(_ key: String, isJSON: Bool) -> NoticeTemplate? {
        guard let text = text(key, expected: "a text with {{names}} in it") else { return nil }
        do throws(NoticeTemplate.Problem) {
            let template = try NoticeTemplate(text)
            if isJSON, !template.filled(\.example).isJSON {
                note(key, "makes no JSON when it is filled in; expected quotes around all but {{value}} and {{labels}}")
            }
            return template
        } catch {
            note(key, error.message)
            return nil
        }
    }
}

extension NoticeTemplate.Field {
    /// Something that may stand there.
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
        /// Whatever is in the document, the decoder has read all of it before it asks for anything.
        struct Anything: Decodable {
            init(from decoder: any Decoder) {}
        }
        return (try? JSONDecoder().decode(Anything.self, from: Data(utf8))) != nil
    }
}

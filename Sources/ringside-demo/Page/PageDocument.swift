/// The page: the file `page.html` with the bots' names and the buttons of this run.
struct PageDocument {
    let bots: [String]
    let collectorURL: String

    /// Returns the page. Its script and its style run because they have a number that nobody can guess.
    func response() -> PageResponse {
        let nonce = (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 16) }.joined()
        let values = [
            "nonce": nonce, "collector": Self.escaped(collectorURL),
            "bots": bots.enumerated().map(choice).joined(), "one": buttons { !$0.concernsAll },
            "all": buttons(\.concernsAll),
        ]
        let template = String(decoding: PackageResources.page_html, as: UTF8.self)
        let page = values.reduce(template) { $0.replacing("{{\($1.key)}}", with: $1.value) }
        let policy = [
            "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'", "img-src data:",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ].joined(separator: "; ")
        return PageResponse(mediaType: "text/html", policy: policy, body: Array(page.utf8))
    }

    private func choice(_ index: Int, _ name: String) -> String {
        let checked = index == 0 ? " checked" : ""
        return "<label><input type=\"radio\" name=\"bot\" value=\"\(index + 1)\"\(checked)><span>\(Self.escaped(name))"
            + "</span></label>\n"
    }

    private func buttons(_ isWanted: (PageAction) -> Bool) -> String {
        PageAction.allCases.filter(isWanted).map {
            "<button type=\"button\" data-action=\"\($0.rawValue)\"><b>\(Self.escaped($0.title))</b>"
                + "<small>\(Self.escaped($0.hint))</small></button>\n"
        }.joined()
    }

    /// Returns a text for HTML, in an attribute's value too.
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}

import Testing

@testable import ringside_demo

@Suite("The page with buttons")
struct PageTests {
    private func verdict(
        _ method: String, _ path: String, hosts: [String] = ["127.0.0.1:8010"], origins: [String] = [],
        fetchSites: [String] = []
    ) -> PageRequest.Verdict {
        PageRequest(method: method, path: path, hosts: hosts, origins: origins, fetchSites: fetchSites).verdict
    }

    private func status(_ verdict: PageRequest.Verdict) -> UInt32? {
        if case .refused(let status, _) = verdict { status } else { nil }
    }

    @Test("its own page and programs without a page may press buttons")
    func accepts() {
        #expect(verdict("GET", "/") == .page && verdict("HEAD", "/") == .page)
        #expect(verdict("POST", "/act") == .act)
        #expect(
            verdict("POST", "/act", origins: ["http://127.0.0.1:8010"], fetchSites: ["same-origin"]) == .act)
        #expect(verdict("POST", "/act", fetchSites: ["none"]) == .act)
        for host in ["localhost:8010", "LOCALHOST", "demo.localhost:9", "[::1]:8010", "[::1]", "127.9.9.9:1"] {
            #expect(verdict("POST", "/act", hosts: [host], origins: ["http://\(host)"]) == .act, "\(host)")
        }
    }

    @Test(
        "a page of another site presses no button, be it another port of this machine",
        arguments: [
            "http://evil.example", "http://evil.example:8010", "null", "", "http://127.0.0.1:8000", "http://127.0.0.1",
            "https://127.0.0.1:8010", "http://localhost:8010", "http://127.0.0.1:8010.evil.example",
        ])
    func refusesOrigins(origin: String) {
        #expect(status(verdict("POST", "/act", origins: [origin])) == 403)
        #expect(status(verdict("POST", "/act", origins: ["http://127.0.0.1:8010", origin])) == 403)
    }

    @Test(
        "a request that the browser says comes from elsewhere is refused", arguments: ["cross-site", "same-site", "x"])
    func refusesSites(site: String) {
        #expect(status(verdict("POST", "/act", fetchSites: [site])) == 403)
    }

    @Test(
        "a name that another site can point to this machine is refused, whatever is asked",
        arguments: [
            ["evil.example"], ["evil.example:8010"], ["127.0.0.1.evil.example"], ["localhost.evil.example"],
            ["10.0.0.1:8010"], ["0.0.0.0"], ["[::2]"], ["[::1"], ["127.0.0.1:x"], ["127.0.0.1:99999"], [""], [],
            ["127.0.0.1", "127.0.0.1"], ["xlocalhost"],
        ])
    func refusesHosts(hosts: [String]) {
        #expect(status(verdict("GET", "/", hosts: hosts)) == 403)
        #expect(status(verdict("POST", "/act", hosts: hosts, origins: hosts.map { "http://\($0)" })) == 403)
    }

    @Test("other methods and paths are refused by name")
    func refusesPaths() {
        #expect(status(verdict("POST", "/")) == 405 && status(verdict("GET", "/act")) == 405)
        #expect(status(verdict("GET", "/latest")) == 404 && status(verdict("PUT", "/act")) == 405)
    }

    @Test("the document has every button and bot, runs nothing but its own script, and is never the same twice")
    func document() throws {
        let document = PageDocument(bots: ["demo1", "demo2"], collectorURL: "http://a/\"><script>'&")
        let response = document.response()
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(!text.contains("{{") && !text.contains("}}"))
        for action in PageAction.allCases { #expect(text.contains("data-action=\"\(action.rawValue)\"")) }
        for bot in ["demo1", "demo2"] { #expect(text.contains("<span>\(bot)</span>")) }
        #expect(text.contains("href=\"http://a/&quot;&gt;&lt;script&gt;&#39;&amp;/\""))
        let policy = try #require(response.policy)
        let nonce = try #require(policy.firstMatch(of: /script-src 'nonce-([0-9a-f]+)'/)?.output.1)
        #expect(text.contains("<script nonce=\"\(nonce)\">") && text.contains("<style nonce=\"\(nonce)\">"))
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
        #expect(document.response().policy != policy)
    }

    @Test("every button's command is one that bots understand")
    func commands() {
        for action in PageAction.allCases {
            let command = action.command(bot: 3)
            #expect((command == nil) == action.concernsAll)
            switch command.map(BotCommand.init) {
            case .some(.order(_, bot: 3)), nil: break
            case .some(.fault(let fault)): #expect(fault.bot == 3 && fault.durationNanoseconds ?? 0 > 0)
            default: Issue.record("\(action): \(command ?? "")")
            }
        }
    }
}

/// A request to the page: its line, its arguments, and the headers that tell where it comes from.
struct PageRequest {
    var method: String
    var path: String
    var arguments: [String: String] = [:]
    /// The values of the headers, of each as many as there are.
    var hosts: [String]
    var origins: [String] = []
    var fetchSites: [String] = []

    enum Verdict: Equatable {
        case page
        case act
        case refused(status: UInt32, reason: String)
    }

    /// Decides what to do with the request.
    ///
    /// Every web page in this machine's browser can send requests here. A page of another site is recognised by the
    /// Origin or Sec-Fetch-Site that the browser adds. A name that another site has pointed to this machine (DNS
    /// rebinding) is recognised by the Host, which must be an address of this machine or `localhost`.
    var verdict: Verdict {
        guard hosts.count == 1, let host = hosts.first?.lowercased(), Self.isOwn(host) else {
            return .refused(status: 403, reason: "the request's Host is neither localhost nor a loopback address")
        }
        switch (method, path) {
        case ("GET", "/"), ("HEAD", "/"): return .page
        case ("POST", "/act"):
            let isForeign =
                origins.contains { $0.lowercased() != "http://\(host)" }
                || fetchSites.contains { $0 != "same-origin" && $0 != "none" }
            return isForeign ? .refused(status: 403, reason: "the request comes from a page of another site") : .act
        case (_, "/"): return .refused(status: 405, reason: "this path accepts only GET and HEAD")
        case (_, "/act"): return .refused(status: 405, reason: "this path accepts only POST")
        default: return .refused(status: 404, reason: "there is no such path; the paths are / and /act")
        }
    }

    /// Returns whether a Host is an address of this machine alone or a name that always stands for one, with or
    /// without a port. The port may be another's, as behind a tunnel.
    private static func isOwn(_ host: String) -> Bool {
        let isBracketed = host.hasPrefix("[")
        let end = isBracketed ? host.firstIndex(of: "]").map { host.index(after: $0) } : host.firstIndex(of: ":")
        let name = host[..<(end ?? host.endIndex)]
        let port = host[(end ?? host.endIndex)...]
        guard port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil else { return false }
        return name == "localhost" || name.hasSuffix(".localhost") || LoopbackAddress.isLoopback(String(name))
    }
}

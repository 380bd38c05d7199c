internal import Arguments

/// The selection by `--bot` and `--metric`.
struct TopChoice {
    let bots: [String]
    let metric: String
    /// The collector's name in messages.
    let place: String

    /// Returns the chosen bots.
    ///
    /// - Throws: ``NoSuchName`` if there is nothing to show: no bot of these names, or no histogram of theirs with this
    ///   text in its name.
    func bots(of view: CollectorView) throws(NoSuchName) -> [CollectorView.Bot] {
        let chosen = view.bots.filter { bots.isEmpty || bots.contains($0.bot) }
        if chosen.isEmpty, !bots.isEmpty { throw .bot(bots, at: place, among: view.bots.map(\.bot)) }
        let histograms = chosen.flatMap(\.metrics).filter { $0.kind == "histogram" }
        if !metric.isEmpty, !histograms.contains(where: includes) {
            throw NoSuchName(
                "no histogram of \(place)'s bots has '\(metric)' in its name", metric, among: histograms.map(\.name),
                nothing: "nor is there any other")
        }
        return chosen
    }

    /// Returns the named bots that do not exist.
    func missing(in view: CollectorView) -> [String] {
        bots.filter { name in !view.bots.contains { $0.bot == name } }
    }

    func includes(_ metric: CollectorView.Metric) -> Bool {
        metric.kind == "histogram" && (self.metric.isEmpty || metric.name.contains(self.metric))
    }
}

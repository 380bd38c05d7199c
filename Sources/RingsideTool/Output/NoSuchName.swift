internal import Arguments

/// An error for a name that does not exist, most often a typing error.
struct NoSuchName: Error, CustomStringConvertible {
    private static let longestList = 8

    let description: String

    /// - Parameters:
    ///   - problem: What is missing, and where: `there is no ring /dev/shm/ringside.alhpa`.
    ///   - name: The name as given.
    ///   - present: The names that exist.
    ///   - others: Further names that may have been meant.
    ///   - nothing: Follows the problem if no name exists at all: `nor any other ring`.
    init(_ problem: String, _ name: String, among present: [String], or others: [String] = [], nothing: String) {
        self.init(problem, near: name.nearest(among: present + others), among: present, nothing: nothing)
    }

    /// - Parameter nearest: The name most likely meant; nil if none is near.
    init(_ problem: String, near nearest: String?, among present: [String], nothing: String) {
        guard !present.isEmpty else {
            description = "\(problem.printable), \(nothing)"
            return
        }
        let hint = nearest.map { "; did you mean '\($0.printable)'?" } ?? "."
        let names = Set(present).sorted()
        let more = names.count > Self.longestList ? " and \(names.count - Self.longestList) more" : ""
        let list = names.prefix(Self.longestList).map(\.printable).joined(separator: ", ")
        description = "\(problem.printable)\(hint) There \(names.count == 1 ? "is" : "are") \(list)\(more)"
    }
}

extension NoSuchName {
    /// - Parameters:
    ///   - place: A history: a collector's address, or a file.
    ///   - metrics: The metrics in it.
    static func metric(_ name: String, in place: String, among metrics: [String]) -> NoSuchName {
        NoSuchName("\(place) has no metric \(name)", name, among: metrics, nothing: "nor any other metric")
    }

    /// - Parameters:
    ///   - place: A source that knows bots: a collector's address, or a history's file.
    ///   - bots: The bots known there.
    static func bot(_ names: [String], at place: String, among bots: [String]) -> NoSuchName {
        let quoted = names.map { "'\($0)'" }.joined(separator: " or ")
        return NoSuchName(
            "\(place) knows no bot \(quoted)", near: names.compactMap { $0.nearest(among: bots) }.first, among: bots,
            nothing: "nor any other bot")
    }
}

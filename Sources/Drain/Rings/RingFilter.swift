package import Configuration
internal import Glibc
package import RingReader

/// Selects the rings that a collector reads: by name, and by the user who owns the file.
package struct RingFilter: Sendable {
    private let names: Set<String>
    /// The configuration's selection among the rings of the command line.
    package var selection = RingSelection.all
    /// Nil selects every user's rings.
    private let owners: Set<UInt32>?

    /// - Parameters:
    ///   - names: Bots (`alpha`, with all its lanes) or single rings (`alpha.md`); an empty list selects all.
    ///   - owners: User names or ids, in addition to the collector's own user; `any` selects all.
    /// - Throws: ``UnknownUser`` for a name that is not in the system's user database.
    package init(names: [String], owners: [String]) throws(UnknownUser) {
        self.names = Set(names)
        var users: Set<UInt32> = [geteuid()]
        for owner in owners where owner != "any" { users.insert(try Self.user(owner)) }
        self.owners = owners.contains("any") ? nil : users
    }

    package struct UnknownUser: Error, Equatable, CustomStringConvertible {
        package let name: String
        package var description: String {
            "there is no user '\(name)'; --ring-owner takes a user name, a user number or any"
        }
    }

    private static func user(_ name: String) throws(UnknownUser) -> UInt32 {
        if let number = UInt32(name) { return number }
        guard let entry = getpwnam(name) else { throw UnknownUser(name: name) }
        return entry.pointee.pw_uid
    }

    package func takes(_ name: RingName) -> Bool {
        (names.isEmpty || names.contains(name.bot) || names.contains(name.description))
            && selection.takes(bot: name.bot, ring: name.description)
    }

    /// Returns the names of the command line that none of these rings has, sorted.
    package func names(absentFrom rings: [RingName]) -> [String] {
        names.subtracting(rings.flatMap { [$0.bot, $0.description] }).sorted()
    }

    package func takes(owner: UInt32) -> Bool { owners?.contains(owner) ?? true }
}

internal import FoundationEssentials

/// The last notice to one destination about one subject of one bot.
struct DeliveredNotice: Equatable, Sendable {
    var notice: Notice
    var isFiring: Bool

    init(notice: Notice, isFiring: Bool) {
        self.notice = notice
        self.isFiring = isFiring
    }

    /// Decodes the notice that an earlier collector stored. Returns nil if the bytes are not a notice.
    init?(_ row: DeliveryStore.StoredNotice) {
        guard let notice = try? JSONDecoder().decode(Notice.self, from: Data(row.notice)) else { return nil }
        self.init(notice: notice, isFiring: row.isFiring)
    }

    var stored: DeliveryStore.StoredNotice {
        // JSON can hold every value of a notice, since infinities are text.
        let bytes = (try? JSONEncoder().encode(notice)).map { [UInt8]($0) } ?? []
        return DeliveryStore.StoredNotice(
            subject: notice.subject, bot: notice.bot, isFiring: isFiring,
            endUnixNanoseconds: notice.endsUnixNanoseconds ?? 0, notice: bytes)
    }
}

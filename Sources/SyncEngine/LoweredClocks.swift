internal import LocalStore
internal import Records

extension CachedRecord {
    /// How far ahead of the server's clock an edit may be dated, in milliseconds (SyncAPI.docc/Protocol.md, "Data").
    private static let tolerance: UInt64 = 60_000

    /// The record with the clocks of its unsent edits lowered to the server's, where this device's clock is ahead.
    ///
    /// - Parameters:
    ///   - serverTime: the server's clock, milliseconds since 1970; nil: unknown, then nothing changes.
    ///   - lower: makes a moment of that time, after the moment that the edit replaces; a new one with each call. Edits
    ///     that had one moment keep one.
    func lowered(to serverTime: UInt64?, by lower: (UInt64, HLC?) throws -> HLC) rethrows -> CachedRecord {
        guard let serverTime, pending != nil else { return self }
        let ahead = record.clock.moments.filter { field, moment in
            moment.milliseconds > serverTime + Self.tolerance && mirror?.clock[field.text] != moment
        }
        var next = self
        for moment in Set(ahead.values).sorted() {
            let fields = ahead.filter { $0.value == moment }.map(\.key.text)
            let replaced = fields.compactMap { mirror?.clock[$0] }.max()
            next.record.clock.stamp(fields, at: try lower(serverTime, replaced))
        }
        return next
    }
}

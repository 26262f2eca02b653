internal import Records
internal import SyncAPI

extension ChangesPage {
    /// Reads the page after `cursor`; nil begins a first sync.
    ///
    /// - Parameters:
    ///   - limit: the most records; the page also ends at about `Limits.pageBytes`.
    ///   - excluding: versions that the reader wrote itself.
    static func read(
        after cursor: Cursor?, limit: Int, excluding: ClosedRange<Int64>? = nil, space: SpaceRow,
        from store: any StoreReading
    ) throws -> ChangesPage {
        let epoch = try store.epoch()
        let start = cursor ?? Cursor(epoch: epoch, position: 0, horizon: space.version)
        let range = ChangeRange(after: start.position, tombstonesAfter: start.horizon, excluding: excluding)
        let (list, more) = try RecordList.filled(limit: limit) { visit in
            try store.visitChanges(range, in: space.id, visit: visit)
        }
        let position = more ? list.lastVersion ?? start.position : space.version
        return ChangesPage(
            records: list, cursor: Cursor(epoch: epoch, position: position, horizon: start.horizon).text, more: more,
            digest: more ? nil : space.digest)
    }
}

internal import Records
internal import SyncAPI

/// A page of a space's changes, its records already as bytes.
struct ChangesPage: Sendable {
    /// The records as on the wire, with commas between them.
    var records: [UInt8]
    /// Where the next page begins.
    var cursor: Cursor
    /// Whether there are more changes at once.
    var more: Bool
    /// Of the space at the cursor; only on the last page.
    var digest: SpaceDigest?

    /// Reads the page after `cursor`; nil begins a first sync.
    ///
    /// - Parameters:
    ///   - limit: the most records; the page also ends at about `Limits.pageBytes`.
    ///   - excluding: versions that the reader wrote itself.
    static func read(
        after cursor: Cursor?, limit: Int, excluding: ClosedRange<Int64>? = nil, space: SpaceState,
        from store: any StoreReading
    ) throws -> ChangesPage {
        let epoch = try store.epoch()
        let start = cursor ?? Cursor(epoch: epoch, position: 0, horizon: space.version)
        let range = ChangeRange(after: start.position, tombstonesAfter: start.horizon, excluding: excluding)
        var bytes = RecordList()
        var last = start.position
        var more = false
        try store.visitChanges(range, in: space.id) { record in
            guard bytes.hasRoom(limit: limit) else {
                more = true
                return false
            }
            bytes.append(record)
            last = record.version
            return true
        }
        return ChangesPage(
            records: bytes.bytes,
            cursor: Cursor(epoch: epoch, position: more ? last : space.version, horizon: start.horizon), more: more,
            digest: more ? nil : space.digest)
    }

    /// Appends the members of the answer, without braces.
    func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #""cursor":""#.utf8)
        bytes.append(contentsOf: cursor.text.utf8)
        if let digest {
            bytes.append(contentsOf: #"","digest":""#.utf8)
            bytes.append(contentsOf: digest.description.utf8)
        }
        bytes.append(contentsOf: (more ? #"","more":true,"records":["# : #"","more":false,"records":["#).utf8)
        bytes.append(contentsOf: records)
        bytes.append(UInt8(ascii: "]"))
    }
}

/// Records joined for an answer, until it is full.
struct RecordList {
    private(set) var bytes: [UInt8] = []
    private(set) var count = 0

    /// Whether another record fits; the first always does.
    func hasRoom(limit: Int) -> Bool { count < limit && bytes.count < Limits.pageBytes }

    /// Adds a record.
    mutating func append(_ record: StoredRecord) {
        if count > 0 { bytes.append(UInt8(ascii: ",")) }
        record.append(to: &bytes)
        count += 1
    }

    /// A list of what `visit` visits, until it is full, and whether there is more.
    static func filled(
        limit: Int, _ visit: ((StoredRecord) -> Bool) throws -> Void
    ) throws -> (list: RecordList, more: Bool) {
        var list = RecordList()
        var more = false
        try visit { record in
            more = !list.hasRoom(limit: limit)
            if !more { list.append(record) }
            return !more
        }
        return (list, more)
    }
}

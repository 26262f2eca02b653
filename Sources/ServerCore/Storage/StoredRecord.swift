public import Records
internal import SyncAPI

/// A record as it is stored: its fields and clocks are JSON texts, which go past the server, not through it.
public struct StoredRecord: Sendable, Equatable {
    /// Which record.
    public var key: RecordKey
    /// The number of its last change.
    public var version: Int64
    /// Whether it is a tombstone.
    public var deleted: Bool
    /// RFC 3339 in UTC with milliseconds.
    public var modifiedAt: String
    /// The device's id.
    public var modifiedBy: String
    /// A JSON object; empty text for a tombstone.
    public var fields: String
    /// A JSON object of HLC texts.
    public var clock: String

    /// A record of these parts.
    public init(
        key: RecordKey, version: Int64, deleted: Bool, modifiedAt: String, modifiedBy: String, fields: String,
        clock: String
    ) {
        self.key = key
        self.version = version
        self.deleted = deleted
        self.modifiedAt = modifiedAt
        self.modifiedBy = modifiedBy
        self.fields = fields
        self.clock = clock
    }

    /// The record's size in usage and quota: the bytes of its fields and clocks.
    public var bytes: Int64 { Int64(fields.utf8.count + clock.utf8.count) }
}

/// Which tombstone, for one that is to go.
public struct StoredTombstone: Sendable, Equatable {
    /// The space's id.
    public var space: String
    /// Which record.
    public var key: RecordKey
    /// The number of the deletion.
    public var version: Int64

    /// A tombstone of these parts.
    public init(space: String, key: RecordKey, version: Int64) {
        self.space = space
        self.key = key
        self.version = version
    }
}

extension StoredRecord {
    /// Appends the record as on the wire, names in canonical order, by joining the stored texts.
    ///
    /// Keys, device ids and times are made of characters that JSON needn't escape; they were checked when they came in.
    func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"clock":"#.utf8)
        bytes.append(contentsOf: clock.utf8)
        bytes.append(contentsOf: #","collection":""#.utf8)
        bytes.append(contentsOf: key.collection.utf8)
        bytes.append(contentsOf: (deleted ? #"","deleted":true"# : #"","deleted":false,"fields":"#).utf8)
        bytes.append(contentsOf: fields.utf8)
        bytes.append(contentsOf: #","id":""#.utf8)
        bytes.append(contentsOf: key.id.utf8)
        bytes.append(contentsOf: #"","modifiedAt":""#.utf8)
        bytes.append(contentsOf: modifiedAt.utf8)
        bytes.append(contentsOf: #"","modifiedBy":""#.utf8)
        bytes.append(contentsOf: modifiedBy.utf8)
        bytes.append(contentsOf: #"","version":"#.utf8)
        bytes.append(contentsOf: String(version).utf8)
        bytes.append(UInt8(ascii: "}"))
    }

    /// The record as on the wire.
    var wire: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}

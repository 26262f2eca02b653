internal import TextMerge

/// A conflict as a record, so that the list of conflicts, and their resolutions, sync like everything else.
///
/// All fields but `resolvedField` and the lines in conflict, clocks included, are derived from the two edits: devices
/// that merge the same pair store the same record. The time of the user's choice is stored in `resolvedField`. Every
/// device keeps the record, with both values, until 90 days after it was resolved. A merge never revives a deleted
/// conflict (record 0002 of Records).
public struct ConflictRecord: Sendable, Equatable {
    /// The id: a hash of the record's key, the field and both clocks, in the form of a UUID of version 8 (RFC 9562).
    public let id: String
    /// The record with the field in conflict.
    public let record: RecordKey
    /// The field, both edits, and the value in the record.
    public let conflict: FieldConflict
    /// The field `resolvedField` as a device has stored it; nil if the conflict is open.
    private let resolution: String?

    /// The record type of conflicts.
    public static let type = RecordType(collection: "conflicts", isDerived: true)
    /// The field with the time of its resolution; its clock names the device. Of two choices the later one is kept.
    public static let resolvedField = "settled"

    /// Creates the record of a conflict that a merge of `record` found.
    public init(_ conflict: FieldConflict, in record: RecordKey) {
        self.id = Self.id(conflict, in: record)
        self.record = record
        self.conflict = conflict
        self.resolution = nil
    }

    /// Reads a conflict from its fields; nil if they have another shape.
    public init?(id: String, fields: JSONObject) {
        guard let collection = fields["collection"]?.string, let record = fields["record"]?.string,
            let field = fields["field"]?.string, let kept = fields["kept"]?.string.flatMap(FieldConflict.Kept.init),
            let earlier = fields["earlier"].flatMap(FieldEdit.init(json:)),
            let later = fields["later"].flatMap(FieldEdit.init(json:))
        else { return nil }
        self.id = id
        self.record = RecordKey(collection: collection, id: record)
        // Conflicts that earlier versions stored have no overlaps.
        let overlaps = fields["overlaps"]?.array?.compactMap(TextOverlap.init(json:)) ?? []
        self.conflict = FieldConflict(field: field, earlier: earlier, later: later, kept: kept, overlaps: overlaps)
        self.resolution = fields[Self.resolvedField]?.string
    }

    /// Whether the conflict is resolved. Any text of another client resolves it, also one that isn't a time.
    public var isResolved: Bool { resolution != nil }

    /// The time at which the conflict was last resolved, by that device's clock; nil if it is open or the time can't be
    /// read.
    public var resolvedAt: Timestamp? { resolution.flatMap { Timestamp($0) } }

    /// The key under which it is stored.
    public var key: RecordKey { Self.key(id) }

    /// Returns the key of the conflict with this id.
    public static func key(_ id: String) -> RecordKey { RecordKey(collection: type.collection, id: id) }

    /// The fields as stored and synced.
    public var fields: JSONObject {
        var fields: JSONObject = [
            "collection": .string(record.collection), "record": .string(record.id),
            "field": .string(conflict.field), "kept": .string(conflict.kept.rawValue),
            "earlier": conflict.earlier.json, "later": conflict.later.json,
        ]
        if !conflict.overlaps.isEmpty { fields["overlaps"] = .array(conflict.overlaps.map(\.json)) }
        fields[Self.resolvedField] = resolution.map(JSONValue.string)
        return fields
    }

    /// The clocks of a new conflict: the time of the later edit for all fields.
    public var clock: FieldClocks { conflict.later.moment.map(FieldClocks.init(all:)) ?? FieldClocks() }

    private static func id(_ conflict: FieldConflict, in record: RecordKey) -> String {
        let moments = [conflict.earlier, conflict.later].map { $0.moment?.description ?? "" }
        let parts = [record.collection, record.id, conflict.field] + moments
        return UUIDText.derived(from: parts)
    }
}

extension FieldEdit {
    /// The edit as stored in a conflict record: `{"value": …, "clock": "…"}`, without unknown members.
    var json: JSONValue {
        var members = JSONObject()
        members["value"] = value
        members["clock"] = moment.map { .string($0.description) }
        return .object(members)
    }

    /// Parses an edit; nil if it has another shape.
    init?(json: JSONValue) {
        guard let members = json.object else { return nil }
        let clock = members["clock"]
        let moment = clock?.string.flatMap(HLC.init)
        // A missing clock is an unknown time; an invalid one makes the record invalid.
        if clock != nil, moment == nil { return nil }
        self.init(value: members["value"], moment: moment)
    }
}

extension TextOverlap {
    /// The overlap as stored in a conflict record: first line and end of the earlier version, then of the later one.
    var json: JSONValue {
        let bounds = [earlier.lowerBound, earlier.upperBound, later.lowerBound, later.upperBound]
        return .array(bounds.map { .integer(Int64($0)) })
    }

    /// Parses an overlap; nil if it has another shape.
    init?(json: JSONValue) {
        let bounds = json.array?.compactMap(\.integer) ?? []
        let lines = bounds.compactMap { Int(exactly: $0) }
        // Another client may store anything, and a range with reversed bounds would be a runtime error.
        guard lines.count == 4, lines[0] >= 0, lines[0] <= lines[1], lines[2] >= 0, lines[2] <= lines[3] else {
            return nil
        }
        self.init(earlier: lines[0]..<lines[1], later: lines[2]..<lines[3])
    }
}

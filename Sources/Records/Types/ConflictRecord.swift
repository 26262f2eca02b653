internal import TextMerge

/// A conflict as a record of its own, so that the list of them, and having seen one, sync like everything else.
///
/// All of it but `settled` and the lines in conflict, clocks included, follows from the two edits: devices that merge the
/// same pair write the same record. A person's choice is stored in it. The record is kept on every device, with both values,
/// until it is old. A merge never brings a deleted one back.
public struct ConflictRecord: Sendable, Equatable {
    /// The id: a hash of which field it is and of both clocks, in the form of a UUID of version 8 (RFC 9562).
    public let id: String
    /// The record whose field it is.
    public let record: RecordKey
    /// The field, both edits, and the value that the record has.
    public let conflict: FieldConflict
    /// When the conflict was last resolved, RFC 3339 in UTC by that device's clock; nil: it is open.
    public let settled: String?

    /// The record type of conflicts.
    public static let type = RecordType(collection: "conflicts", isDerived: true)
    /// The field that says when it was settled; its clock says by which device. Of two choices the later one stays.
    public static let settledField = "settled"

    /// The record of a conflict that a merge of `record` made.
    public init(_ conflict: FieldConflict, in record: RecordKey) {
        self.id = Self.id(conflict, in: record)
        self.record = record
        self.conflict = conflict
        self.settled = nil
    }

    /// Reads a conflict from its fields; nil if they aren't those of one.
    public init?(id: String, fields: JSONObject) {
        guard let collection = fields["collection"]?.string, let record = fields["record"]?.string,
            let field = fields["field"]?.string, let kept = fields["kept"]?.string.flatMap(FieldConflict.Kept.init),
            let earlier = fields["earlier"].flatMap(FieldEdit.init(json:)),
            let later = fields["later"].flatMap(FieldEdit.init(json:))
        else { return nil }
        self.id = id
        self.record = RecordKey(collection: collection, id: record)
        // Conflicts of earlier versions have no overlaps.
        let overlaps = fields["overlaps"]?.array?.compactMap(TextOverlap.init(json:)) ?? []
        self.conflict = FieldConflict(field: field, earlier: earlier, later: later, kept: kept, overlaps: overlaps)
        self.settled = fields[Self.settledField]?.string
    }

    /// The key under which it is stored.
    public var key: RecordKey { Self.key(id) }

    /// The key of the conflict of this id.
    public static func key(_ id: String) -> RecordKey { RecordKey(collection: type.collection, id: id) }

    /// The fields as stored and synced.
    public var fields: JSONObject {
        var fields: JSONObject = [
            "collection": .string(record.collection), "record": .string(record.id),
            "field": .string(conflict.field), "kept": .string(conflict.kept.rawValue),
            "earlier": conflict.earlier.json, "later": conflict.later.json,
        ]
        if !conflict.overlaps.isEmpty { fields["overlaps"] = .array(conflict.overlaps.map(\.json)) }
        fields[Self.settledField] = settled.map(JSONValue.string)
        return fields
    }

    /// The clocks of a new one: all fields at the moment of the later edit.
    public var clock: FieldClocks { conflict.later.moment.map(FieldClocks.init(all:)) ?? FieldClocks() }

    private static func id(_ conflict: FieldConflict, in record: RecordKey) -> String {
        let moments = [conflict.earlier, conflict.later].map { $0.moment?.description ?? "" }
        let parts = [record.collection, record.id, conflict.field] + moments
        return UUIDText.derived(from: parts)
    }
}

extension FieldEdit {
    /// The edit as it is in a conflict record: `{"value": …, "clock": "…"}`, what isn't known left out.
    var json: JSONValue {
        var members = JSONObject()
        members["value"] = value
        members["clock"] = moment.map { .string($0.description) }
        return .object(members)
    }

    /// Reads an edit; nil if it isn't one.
    init?(json: JSONValue) {
        guard let members = json.object else { return nil }
        let clock = members["clock"]
        let moment = clock?.string.flatMap(HLC.init)
        if clock != nil, moment == nil { return nil }
        self.init(value: members["value"], moment: moment)
    }
}

extension TextOverlap {
    /// The overlap in a conflict record: the first line and the end of the earlier version, then of the later one.
    var json: JSONValue {
        let bounds = [earlier.lowerBound, earlier.upperBound, later.lowerBound, later.upperBound]
        return .array(bounds.map { .integer(Int64($0)) })
    }

    /// Reads an overlap; nil if it isn't one.
    init?(json: JSONValue) {
        let bounds = json.array?.compactMap(\.integer) ?? []
        let lines = bounds.compactMap { Int(exactly: $0) }
        guard lines.count == 4, lines[0] >= 0, lines[0] <= lines[1], lines[2] >= 0, lines[2] <= lines[3] else {
            return nil
        }
        self.init(earlier: lines[0]..<lines[1], later: lines[2]..<lines[3])
    }
}

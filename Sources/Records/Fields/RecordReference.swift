/// A reference from a field of one record to another record: the full id.
///
/// The record may be deleted, or unknown to this device. Such a reference is kept.
public struct RecordReference: RawRepresentable, Sendable, Hashable {
    /// The full id of the other record.
    public let rawValue: String

    /// Creates a reference to the record with this id.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension RecordReference: FieldValue, FieldElement {
    public static func element(_ json: JSONValue) -> RecordReference? {
        json.string.map { RecordReference(rawValue: $0) }
    }
    public var storedElement: JSONValue { .string(rawValue) }
    public static var kind: FieldKind { .reference }
    public static var setKind: FieldKind { .references }

    /// Returns the ids in a value: one text, or a list of texts. Older versions of Taskwarrior export a text with
    /// commas.
    static func ids(in value: JSONValue?) -> [String] {
        switch value {
        case .string(let text): text.split(separator: ",").map(String.init)
        case .array(let elements): elements.compactMap(\.string)
        case nil, .null, .bool, .number, .object: []
        }
    }
}

/// A change of a field with references to records.
public struct ReferenceChange: Sendable, Equatable {
    /// The records to add, as ids, or as they were typed.
    public private(set) var added: [String] = []
    /// The records to remove.
    public private(set) var removed: [String] = []
    /// Whether the field has one reference at most, so that an added one replaces it.
    let isSingle: Bool

    /// Parses a typed list: `1,3` adds two records, `-2` removes one.
    init(typed text: String, isSingle: Bool) {
        self.isSingle = isSingle
        for word in text.split(separator: ",") where !word.isEmpty {
            if word.hasPrefix("-") { removed.append(String(word.dropFirst())) } else { added.append(String(word)) }
        }
    }

    /// Adds the change of a later word for the same field.
    func adding(_ later: ReferenceChange) -> ReferenceChange {
        var sum = self
        sum.added += later.added
        sum.removed += later.removed
        return sum
    }

    /// Whether it names several records for a field that has one.
    var hasTooMany: Bool { isSingle && added.count > 1 }

    /// Returns the change with ids in place of the typed texts.
    func resolved(_ id: (String) throws -> String) throws -> ReferenceChange {
        var change = self
        change.added = try added.map(id)
        change.removed = try removed.map(id)
        return change
    }

    /// Returns the changed value of the field; nil: no references are left.
    func applied(to stored: JSONValue?) -> JSONValue? {
        let present = RecordReference.ids(in: stored)
        var ids = isSingle && !added.isEmpty ? [] : present.filter { !removed.contains($0) }
        for id in added where !ids.contains(id) { ids.append(id) }
        if ids == present { return stored }
        if isSingle { return ids.last.map(JSONValue.string) }
        return ids.isEmpty ? nil : .array(ids.map(JSONValue.string))
    }
}

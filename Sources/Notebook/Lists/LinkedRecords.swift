internal import LocalStore
public import Records

/// A record that another record refers to.
public struct LinkedRecord: Sendable, Equatable {
    /// Its full id.
    public let id: String
    /// Its short id, see `ShortID`.
    public let prefix: String
    /// Its title; nil: it is deleted or unknown on this device.
    public let title: String?
    /// Whether it can be completed and isn't.
    public let isOpen: Bool
}

/// What a record means together with other records.
public struct RecordRelations: Sendable, Equatable {
    /// The records that its fields refer to, by field.
    public let linked: [String: [LinkedRecord]]
    /// Its urgency; nil: records of its type can't be completed.
    public let urgency: Double?
    /// The progress of its parts; nil: it has none.
    public let progress: RecordLinks.Progress?
    /// The records that the links in its text name.
    public let textLinks: [LinkedText]
    /// The records whose texts have links to it.
    public let backlinks: [LinkedRecord]
}

extension Notebook {
    /// Returns what a record means together with other records.
    public func relations(of record: Record) async throws -> RecordRelations {
        try await read { try $0.relations(of: record) }
    }
}

extension Notebook.Transaction {
    fileprivate func relations(of record: Record) throws -> RecordRelations {
        let type = types[record.key.collection]
        var linked: [String: [LinkedRecord]] = [:]
        var rows = try self.rows(linkedIn: .fields, mentioning: record.key.id)
        for field in type.catalog.fields {
            guard let content = record.fields[field.name].flatMap({ field.content(of: $0) }) else { continue }
            let ids: [String]
            switch (field.kind, content) {
            case (.reference, .text(let id)): ids = [id]
            case (.references, .texts(let texts)): ids = texts
            default: continue
            }
            for id in ids {
                // Exactly this id: a reference is a full id, never a beginning of one.
                let key = try cache.index.keys(prefix: id).first { $0.id == id }
                let other = try key.flatMap { try self.record($0) }
                if let other { rows.append(other.row) }
                let isOpen = other.map { types[$0.key.collection].closing != nil && !isClosed($0) } ?? false
                let prefix = try key.map { try cache.index.shortPrefix(of: $0.id) } ?? id
                linked[field.name, default: []].append(
                    LinkedRecord(id: id, prefix: prefix, title: other?.titleOrID, isOpen: isOpen))
            }
        }
        rows.append(record.row)
        // Each record once: a part that also depends on the record is mentioned and referred to.
        var seen: Set<RecordKey> = []
        let distinct = rows.filter { seen.insert(RecordKey(collection: $0.collection, id: $0.id)).inserted }
        let links = RecordLinks(distinct, types: types)
        let urgency = Urgency(types, dates: notebook.dates)
        return RecordRelations(
            linked: linked, urgency: urgency.value(of: record.row, in: QueryContext(links: links)),
            progress: links.progress(of: record.key.id), textLinks: try textLinks(of: record),
            backlinks: try backlinks(to: record))
    }

    private func isClosed(_ record: Record) -> Bool { types[record.key.collection].isClosed(record.fields) }
}

extension Record {
    /// The record as a query sees it.
    var row: QueryRow { QueryRow(collection: key.collection, id: key.id, fields: fields) }
}

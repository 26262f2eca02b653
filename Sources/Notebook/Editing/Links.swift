internal import LocalStore
internal import Records

// References of records to each other.
extension Notebook.Transaction {
    /// Returns an edit with the full ids of the records that it names.
    ///
    /// - Throws: ``NotebookError`` if a record isn't found.
    func resolved(_ edit: Edit, of type: RecordType) throws -> Edit {
        try edit.namesRecords ? edit.resolvingReferences { try key(of: $0).id } : edit
    }

    /// Returns a patch with the full ids of the records that a text names. An id that the record already has is kept,
    /// also if its record is unknown.
    ///
    /// - Parameter stored: The fields that the user saw.
    /// - Throws: ``NotebookError`` if a record isn't found.
    func resolvingReferences(in patch: JSONObject, of type: RecordType, on stored: JSONObject) throws -> JSONObject {
        var resolved = patch
        for field in type.catalog.fields {
            guard let value = patch[field.name], !value.isNull else { continue }
            let known = Set(stored[field.name].map(\.texts) ?? [])
            let id = { (text: String) throws -> String in try known.contains(text) ? text : key(of: text).id }
            switch field.kind {
            case .reference: resolved[field.name] = try value.string.map { JSONValue.string(try id($0)) } ?? value
            case .references: resolved[field.name] = .array(try value.texts.map { JSONValue.string(try id($0)) })
            case .title, .text, .word, .path, .choice, .words, .moment, .date, .number, .flag, .annotations, .custom,
                .any:
                break
            }
        }
        return resolved
    }

    /// Checks that an edit creates no cycle of references with the role `dependencies` or `parent`.
    ///
    /// Circles may still be stored: two devices may each add one half.
    ///
    /// - Throws: ``NotebookError/cycle(path:field:)``.
    func checkLinks(of key: RecordKey, _ patch: JSONObject) throws {
        for field in types[key.collection].catalog.fields where field.role == .dependencies || field.role == .parent {
            guard let targets = patch[field.name]?.texts, !targets.isEmpty else { continue }
            var search = LinkSearch(target: key.id, field: field.name, collection: key.collection, records: self)
            guard let path = try search.path(from: targets) else { continue }
            let titles = try ([key.id] + path).map { try title(of: RecordKey(collection: key.collection, id: $0)) }
            throw NotebookError.cycle(path: titles, field: field.name)
        }
    }

    /// Returns the open records that are parts of these.
    func openParts(of records: [Record]) throws -> [Record] {
        let ids = Set(records.map(\.key.id))
        if ids.isEmpty { return [] }
        // One pass over the records, also for many ids.
        let rows =
            if let id = ids.first, ids.count == 1 {
                try self.rows(linkedIn: .fields, mentioning: id)
            } else {
                try cache.rows(in: types.listed)
            }
        return rows.compactMap { row -> Record? in
            let type = types[row.collection]
            guard let field = type.catalog.fields.first(where: { $0.role == .parent }), !type.isClosed(row.fields),
                row.fields[field.name]?.texts.contains(where: ids.contains) == true
            else { return nil }
            return Record(key: row.key, fields: row.fields)
        }
    }
}

/// A search for a path of references from one record to another, in depth.
private struct LinkSearch {
    let target: String
    let field: String
    let collection: String
    let records: Notebook.Transaction
    private var seen: Set<String> = []

    init(target: String, field: String, collection: String, records: Notebook.Transaction) {
        (self.target, self.field, self.collection, self.records) = (target, field, collection, records)
    }

    /// Returns the ids on a path from one of these records to the target, both included; nil: there is none.
    mutating func path(from ids: [String]) throws -> [String]? {
        // A stack and no recursion: a chain of references may be long.
        var stack = ids.map { [$0] }
        while let path = stack.popLast() {
            guard let last = path.last else { continue }
            if last == target { return path }
            guard seen.insert(last).inserted,
                let record = try records.record(RecordKey(collection: collection, id: last))
            else { continue }
            stack += (record.fields[field]?.texts ?? []).map { path + [$0] }
        }
        return nil
    }
}

extension JSONValue {
    /// The texts in a field with references: one, or a list.
    fileprivate var texts: [String] { string.map { [$0] } ?? array?.compactMap(\.string) ?? [] }
}

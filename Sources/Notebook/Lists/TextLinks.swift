internal import LocalStore
internal import Records

/// A link in the text of a record, and the record that it names.
public struct LinkedText: Sendable, Equatable {
    /// The title in the link, as typed.
    public let text: String
    /// The record.
    public let record: LinkedRecord
}

extension Notebook {
    /// Returns the titles that begin with a text, without regard to case, sorted; those of documents first. A title that
    /// a link can't contain is omitted.
    public func titles(beginning: String, limit: Int) async throws -> [String] {
        try await read { records in
            let sought = beginning.lowercased()
            let rows = try records.cache.rows(in: types.listed).sorted { left, right in
                let (isLeft, isRight) = (types[left.collection].isDocument, types[right.collection].isDocument)
                return isLeft == isRight ? (left.fields[.title] ?? "") < (right.fields[.title] ?? "") : isLeft
            }
            let titles = rows.lazy.compactMap { $0.fields[.title] }.filter { title in
                title.lowercased().hasPrefix(sought) && !title.contains { $0 == "[" || $0 == "]" }
            }
            return Array(titles.prefix(limit))
        }
    }
}

// Links in texts, such as `[[Garden plan]]`. They name a record by its title, by a title that it had before, or by the
// beginning of its id (record 0001 of Notebook).
extension Notebook.Transaction {
    /// Returns the records that the links in the text of a record name, each link once. Links to no record are omitted.
    func textLinks(of record: Record) throws -> [LinkedText] {
        guard let body = record.fields[types[record.key.collection].body.name]?.string else { return [] }
        let links = TextLink.all(in: body)
        if links.isEmpty { return [] }
        let names = LinkNames(try cache.rows(in: types.listed), types)
        var seen: Set<String> = []
        return try links.filter { seen.insert($0.title.lowercased()).inserted }.compactMap { link in
            let named = names.row(named: link.title).map(\.key)
            guard let key = try named ?? self.key(withIDBeginning: link.title) else { return nil }
            return try self.record(key).map { LinkedText(text: link.title, record: try linked($0)) }
        }
    }

    /// Returns the records whose texts have links to a record, sorted by title.
    func backlinks(to record: Record) throws -> [LinkedRecord] {
        let linking = try rows(linkedIn: .text, mentioning: TextLink.opening).filter { $0.key != record.key }
        let bodies = linking.map { row in
            LinkingRow(row: row, body: row.fields[types[row.collection].body.name]?.string ?? "")
        }
        let titles = LinkedTitles(of: record.row, types)
        let own = Set(([titles.current].compactMap { $0 } + titles.former).map { $0.lowercased() })
        let mayNameIt = { (link: TextLink) -> Bool in
            let name = link.title.lowercased()
            return own.contains(name) || record.key.id.hasPrefix(name)
        }
        if !bodies.contains(where: { $0.links.contains(where: mayNameIt) }) { return [] }
        // The titles of all records, since another one may have a former title of this one now.
        let names = LinkNames(try cache.rows(in: types.listed), types)
        let found = try bodies.filter { body in
            try body.links.contains { link in
                if let row = names.row(named: link.title) { return row.key == record.key }
                return try key(withIDBeginning: link.title) == record.key
            }
        }
        return try found.map { try linked(Record(key: $0.row.key, fields: $0.row.fields)) }
            .sorted { ($0.title ?? "", $0.id) < ($1.title ?? "", $1.id) }
    }

    /// Returns the record with an id that begins with a text of at least four characters; nil: there is none, or several.
    private func key(withIDBeginning text: String) throws -> RecordKey? {
        guard text.utf8.count >= 4, text.utf8.count <= 64 else { return nil }
        let keys = try cache.index.keys(prefix: text.lowercased())
        return keys.count == 1 ? keys.first : nil
    }

    private func linked(_ record: Record) throws -> LinkedRecord {
        let type = types[record.key.collection]
        return LinkedRecord(
            id: record.key.id, prefix: try cache.index.shortPrefix(of: record.key.id), title: record.titleOrID,
            isOpen: type.closing != nil && !type.isClosed(record.fields))
    }
}

/// A record with the links in its text.
private struct LinkingRow {
    let row: QueryRow
    let links: [TextLink]

    init(row: QueryRow, body: String) { (self.row, links) = (row, TextLink.all(in: body)) }
}

/// The titles by which links name a record.
private struct LinkedTitles {
    let current: String?
    /// Those that it had before.
    let former: [String]

    init(of row: QueryRow, _ types: RecordTypes) {
        current = row.fields[.title]
        let field = types[row.collection].catalog.name(of: .formerTitles)
        former = field.flatMap { row.fields[FieldKey<[String]>($0)] } ?? []
    }
}

/// The records by the titles that links may contain.
private struct LinkNames {
    private let current: [String: QueryRow]
    private let former: [String: QueryRow]

    init(_ rows: [QueryRow], _ types: RecordTypes) {
        var current: [String: QueryRow] = [:]
        var former: [String: QueryRow] = [:]
        // A document is preferred to a task of the same name, then the first id decides, so that all devices agree.
        let isFirst = { (left: QueryRow, right: QueryRow) -> Bool in
            let (isLeft, isRight) = (types[left.collection].isDocument, types[right.collection].isDocument)
            return isLeft == isRight ? left.id < right.id : isLeft
        }
        let add = { (names: inout [String: QueryRow], name: String, row: QueryRow) -> Void in
            let name = name.lowercased()
            if names[name].map({ isFirst(row, $0) }) ?? true { names[name] = row }
        }
        for row in rows {
            let titles = LinkedTitles(of: row, types)
            if let title = titles.current { add(&current, title, row) }
            for title in titles.former { add(&former, title, row) }
        }
        (self.current, self.former) = (current, former)
    }

    /// Returns the record with this title, else one that had it before; nil: there is none.
    func row(named title: String) -> QueryRow? {
        current[title.lowercased()] ?? former[title.lowercased()]
    }
}

extension FieldCatalog {
    /// The name of the field with a role; nil: there is none.
    func name(of role: Field.Role) -> String? { fields.first { $0.role == role }?.name }
}

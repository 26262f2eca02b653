internal import LocalStore
internal import Records

// The titles that a record had before it was renamed. Links in other texts find the record by them (record 0001 of
// Notebook).
extension Notebook.Transaction {
    /// The maximum number of titles that are kept of a record.
    static let formerTitlesLimit = 100

    /// Returns a patch that also keeps the title that the record has until now, if the patch changes it and the type has
    /// a field for it. A record that isn't a document, such as a task, keeps it only if a text has a link to it:
    /// tasks are renamed often, and few have links.
    ///
    /// - Parameter record: The record before the edit; nil: it doesn't exist.
    func keepingFormerTitle(of record: Record?, _ patch: JSONObject) throws -> JSONObject {
        guard let record, !record.deleted, let title = patch[.title],
            let name = types[record.key.collection].catalog.name(of: .formerTitles), patch[name] == nil,
            let former = record[.title], former != title, former.utf8.count <= FieldLimits.wordBytes
        else { return patch }
        if !types[record.key.collection].isDocument, try !hasLink(to: former) { return patch }
        let field = FieldKey<[String]>(name)
        var titles = record.fields[field] ?? []
        // The current title isn't a former title, so that a record that gets its first title again has no link twice.
        titles.removeAll { $0 == title || $0 == former }
        guard titles.count < Self.formerTitlesLimit else { return patch }
        var changed = patch
        changed[field] = titles + [former]
        return changed
    }

    /// Returns whether a text has a link with this title.
    private func hasLink(to title: String) throws -> Bool {
        let sought = title.lowercased()
        return try rows(linkedIn: .text, mentioning: TextLink.opening).contains { row in
            let body = row.fields[types[row.collection].body.name]?.string ?? ""
            return TextLink.all(in: body).contains { $0.title.lowercased() == sought }
        }
    }
}

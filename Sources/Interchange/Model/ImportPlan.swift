public import Records

/// The effect of an import on a record. New cases may be added.
public enum ImportPlan: Sendable, Equatable {
    /// None: the record is as in the file, was edited since, or was deleted.
    case unchanged
    /// Creates a record with these fields.
    case create(JSONObject)
    /// Edits the record: fields to replace, and `null` to remove one. `kept` names those that were changed in the file
    /// and here, and are kept as they are here.
    case update(JSONObject, kept: [String])
}

/// Plans the import of a record that exists here.
///
/// What the file hasn't changed since the last import, or since Satchel wrote it, changes nothing. What it has changed
/// is applied, unless it was also edited here: then the value here is kept, except that annotations are united, since
/// they are usually only added. What the format can't store is never changed (record 0001 of Interchange).
struct ImportPlanner {
    let format: ExchangeFormat
    let imported: ImportedRecord
    /// The record as it is here; not deleted.
    let existing: Record
    /// The fields that a file of the format would contain for the record now.
    let written: JSONObject
    /// The fields of the record.
    let catalog: FieldCatalog

    func plan() -> ImportPlan {
        isAsExported ? planSinceExport() : planSinceImport()
    }

    /// Whether the record is unchanged since Satchel wrote the file: then every difference is an edit in the file.
    private var isAsExported: Bool {
        imported.base.map { $0 == Fingerprint.text(of: .object(written)) } ?? false
    }

    private func planSinceExport() -> ImportPlan {
        var patch = JSONObject()
        for name in Set(imported.fields.names).union(written.names) {
            let (before, file) = (written[name], imported.fields[name])
            if SetField.isSame(name, before, file, in: catalog) { continue }
            let here = existing.fields[name]
            patch[name] = SetField.applying(name, from: before, to: file, on: here, in: catalog) ?? .null
        }
        return plan(patch, kept: [])
    }

    private func planSinceImport() -> ImportPlan {
        let seen = ImportMark(in: existing.fields, of: format)
        var patch = JSONObject()
        var kept: [String] = []
        for name in Set(imported.fields.names).union(seen.names).sorted() {
            let (here, file) = (existing.fields[name], imported.fields[name])
            // Unchanged in the file since the last import, equal here, or different only because the format can't store
            // it exactly.
            if seen.holds(name, file) || here == file || SetField.isSame(name, written[name], file, in: catalog) {
                continue
            }
            // Unchanged here since the last import, so that only the file has changed it.
            if seen.holds(name, here) {
                patch[name] = file ?? .null
            } else if case .annotations? = catalog[name]?.kind, let joined = joined(here, file) {
                patch[name] = joined
            } else {
                kept.append(name)
            }
        }
        return plan(patch, kept: kept)
    }

    private func plan(_ patch: JSONObject, kept: [String]) -> ImportPlan {
        let seen = ImportMark(in: existing.fields, of: format)
        let now = ImportMark(imported.fields, of: format)
        var patch = patch
        // A record that no import has changed gets no mark: importing an equal file must not edit it.
        let hasNews = !patch.isEmpty || !kept.isEmpty || !seen.isEmpty
        if hasNews, now != seen { patch[ImportMark.field] = now.json(keeping: existing.fields) }
        return patch.isEmpty ? .unchanged : .update(patch, kept: kept)
    }

    /// Returns the annotations of both; nil if all are here, or if one side has another shape.
    private func joined(_ here: JSONValue?, _ file: JSONValue?) -> JSONValue? {
        guard let here = (here ?? []).array, let file = file?.array else { return nil }
        let new = file.filter { !here.contains($0) }
        return new.isEmpty ? nil : .array(here + new)
    }
}

/// Comparison and edits of fields whose order has no meaning.
enum SetField {
    /// Returns whether two values of a field are equal, ignoring the order of a set.
    static func isSame(_ name: String, _ one: JSONValue?, _ other: JSONValue?, in catalog: FieldCatalog) -> Bool {
        if one == other { return true }
        guard catalog.isSet(name), let one = one?.array, let other = other?.array else { return false }
        return one.allSatisfy(other.contains) && other.allSatisfy(one.contains)
    }

    /// Returns the value here after the file's edit; of a set, with the elements that it added and removed, since a
    /// file may not contain all of them.
    static func applying(
        _ name: String, from before: JSONValue?, to after: JSONValue?, on here: JSONValue?, in catalog: FieldCatalog
    ) -> JSONValue? {
        guard catalog.isSet(name), let before = (before ?? []).array, let after = (after ?? []).array,
            let here = (here ?? []).array
        else { return after }
        let kept = here.filter { !before.contains($0) || after.contains($0) }
        let edited = kept + after.filter { !kept.contains($0) }
        return edited.isEmpty ? nil : .array(edited)
    }
}

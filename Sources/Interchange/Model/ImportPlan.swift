public import Records

/// What an import does with a record.
public enum ImportPlan: Sendable, Equatable {
    /// Nothing: it is here as the file has it, was edited since, or was deleted.
    case unchanged
    /// A new record with these fields.
    case create(JSONObject)
    /// An edit: fields to be replaced, `null` to be removed. `kept` names those that the file has changed too, and that
    /// stay as they were edited here.
    case update(JSONObject, kept: [String])
}

/// Decides what an import does with a record that may be here.
///
/// What the file hasn't changed since the last import, or since Satchel wrote it, changes nothing. What it has changed
/// is applied, unless it was edited here too: then it stays as it is here, and only remarks, which as a rule but grow,
/// are joined. What the format can't hold is never touched.
struct ImportPlanner {
    let format: ExchangeFormat
    let imported: ImportedRecord
    /// The record as it is here, alive.
    let existing: Record
    /// What a file of the format would say of the record now.
    let written: JSONObject
    /// The fields of the record.
    let catalog: FieldCatalog

    func plan() -> ImportPlan {
        isAsExported ? planSinceExport() : planSinceImport()
    }

    /// Whether the record is still what it was when Satchel wrote the file: then every difference is the file's edit.
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
            if seen.holds(name, file) || here == file || SetField.isSame(name, written[name], file, in: catalog) {
                continue
            }
            if seen.holds(name, here) {
                patch[name] = file ?? .null
            } else if case .remarks? = catalog[name]?.kind, let joined = joined(here, file) {
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
        let hasNews = !patch.isEmpty || !kept.isEmpty || !seen.isEmpty
        if hasNews, now != seen { patch[ImportMark.field] = now.json(keeping: existing.fields) }
        return patch.isEmpty ? .unchanged : .update(patch, kept: kept)
    }

    /// The annotations of both; nil if those here are all, or if one side's have another shape.
    private func joined(_ here: JSONValue?, _ file: JSONValue?) -> JSONValue? {
        guard let here = (here ?? []).array, let file = file?.array else { return nil }
        let new = file.filter { !here.contains($0) }
        return new.isEmpty ? nil : .array(here + new)
    }
}

/// Fields whose order says nothing.
enum SetField {
    /// Whether two values of a field say the same.
    static func isSame(_ name: String, _ one: JSONValue?, _ other: JSONValue?, in catalog: FieldCatalog) -> Bool {
        if one == other { return true }
        guard catalog.isSet(name), let one = one?.array, let other = other?.array else { return false }
        return one.allSatisfy(other.contains) && other.allSatisfy(one.contains)
    }

    /// What a file's edit makes of the value here; of a set, what it added and removed, for it may not hold all of it.
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

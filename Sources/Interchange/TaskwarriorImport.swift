public import Records

/// Tasks from `task export`: a JSON array of objects, or one object a line.
///
/// A task keeps its uuid as the record's id. Of `description`, the first line with text becomes `title`, and what stands
/// after it, if anything does, `body`; dates become RFC 3339; every other attribute
/// keeps its name and value, known here or not, but `id` and `urgency`, which Taskwarrior computes. An attribute of the
/// user's own whose name Satchel uses itself (`title`, `body`, `taskwarrior`) gets `taskwarrior.` in front.
///
/// All or nothing: one entry that can't be read, or is larger than a record may be (`FieldLimits`), and nothing is imported.
public enum TaskwarriorImport {
    /// Reads an export.
    ///
    /// - Throws: `ImportError`, which names every entry that can't be taken.
    public static func parse(_ bytes: [UInt8]) throws(ImportError) -> [ImportedTask] {
        var tasks: [ImportedTask] = []
        var problems: [ImportError.Problem] = []
        var known: Set<String> = []
        for (index, entry) in try ExportFile.entries(bytes).enumerated() {
            switch entry.flatMap(TaskwarriorEntry.task) {
            case .success(let task) where !known.insert(task.key.id).inserted:
                problems.append(.init(entry: index + 1, reason: "its uuid \(task.key.id) stands in the file twice"))
            case .success(let task): tasks.append(task)
            case .failure(let reason): problems.append(.init(entry: index + 1, reason: reason.text))
            }
        }
        if !problems.isEmpty { throw ImportError(problems: problems) }
        return tasks
    }

    /// What to do with a task from the file.
    ///
    /// The record remembers, in the field `taskwarrior`, what was taken in last. What the file hasn't changed since then
    /// changes nothing. What it has changed is taken, unless it was edited here too: then it stays as it is here, and only
    /// annotations, which as a rule but grow, are joined.
    ///
    /// - Parameter existing: the record of the task's key, its tombstone included; a deleted one stays deleted.
    public static func plan(_ task: ImportedTask, existing: Record?) -> ImportPlan {
        guard let existing else { return .create(task.marked) }
        if existing.deleted { return .unchanged }
        let (seen, now) = (ImportMark(of: existing.fields), ImportMark(task.fields))
        var patch = JSONObject()
        var kept: [String] = []
        for name in Set(task.fields.names).union(seen.names).sorted() {
            let (here, file) = (existing.fields[name], task.fields[name])
            if seen.holds(name, file) || here == file { continue }
            if seen.holds(name, here) {
                patch[name] = file ?? .null
            } else if name == "annotations", let joined = joined(here, file) {
                patch[name] = joined
            } else {
                kept.append(name)
            }
        }
        if now != seen { patch[ImportMark.field] = now.json }
        return patch.isEmpty ? .unchanged : .update(patch, kept: kept)
    }

    /// The annotations of both; nil if those here are all, or if one side's have another shape.
    private static func joined(_ here: JSONValue?, _ file: JSONValue?) -> JSONValue? {
        guard let here = (here ?? []).array, let file = file?.array else { return nil }
        let new = file.filter { !here.contains($0) }
        return new.isEmpty ? nil : .array(here + new)
    }
}

/// What an import does with a task.
public enum ImportPlan: Sendable, Equatable {
    /// Nothing: it is here as the file has it, was edited since, or was deleted.
    case unchanged
    /// A new record with these fields.
    case create(JSONObject)
    /// An edit: fields to be replaced, `null` to be removed. `kept` names those that the file has changed too, and that
    /// stay as they were edited here.
    case update(JSONObject, kept: [String])
}

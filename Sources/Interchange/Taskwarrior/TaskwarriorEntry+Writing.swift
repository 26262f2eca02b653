internal import Records

extension TaskwarriorEntry {
    /// The object of an export that becomes this record when it is read; nil if there is none.
    static func attributes(of entry: FormatEntry) -> JSONObject? {
        let (key, fields) = (entry.record.key, entry.record.fields)
        guard key.collection == TaskRecord.type.collection, isUUID(key.id), let title = fields[.title] else {
            return nil
        }
        var attributes: JSONObject = ["uuid": .string(key.id)]
        attributes["description"] = .string(fields[.body].map { "\(title)\n\($0)" } ?? title)
        for (name, value) in fields where !ours.contains(name) {
            if let (attribute, value) = attribute(name, value) { attributes[attribute] = value }
        }
        attributes[base] = isAsImported(fields) ? nil : entry.base.map(JSONValue.string)
        return attributes
    }

    private static func attribute(_ name: String, _ value: JSONValue) -> (name: String, value: JSONValue)? {
        switch name {
        case "tags": return (name, value)
        case "annotations": return annotations(compact: value).map { (name, $0) }
        case _ where dates.contains(name): return compact(value).map { (name, $0) }
        case _ where readApart.contains(name): return nil
        default:
            let theirs =
                name.hasPrefix(ImportMark.field + ".") ? String(name.dropFirst(ImportMark.field.count + 1)) : nil
            // A user's own attribute that was renamed on its way in.
            return (theirs.flatMap { ours.contains($0) ? $0 : nil } ?? name, value)
        }
    }

    private static func annotations(compact value: JSONValue) -> JSONValue? {
        guard let elements = value.array else { return nil }
        return .array(
            elements.compactMap { element in
                guard var annotation = element.object, let entry = annotation["entry"].flatMap(compact) else {
                    return nil
                }
                annotation["entry"] = entry
                return .object(annotation)
            })
    }

    /// `20241022T233747Z`, as `task` reads it whatever its settings.
    private static func compact(_ value: JSONValue) -> JSONValue? {
        guard let moment = value.string.flatMap({ Timestamp($0) }) else { return nil }
        return .string(moment.description.filter { $0 != "-" && $0 != ":" })
    }

    /// Whether the record is unchanged since Taskwarrior exported it; then its mark is all that an import needs.
    private static func isAsImported(_ fields: JSONObject) -> Bool {
        let seen = ImportMark(in: fields, of: .taskwarrior)
        return !seen.isEmpty
            && fields.allSatisfy { $0.name == ImportMark.field || seen.holds($0.name, $0.value) }
            && seen.names.allSatisfy { fields[$0] != nil }
    }
}

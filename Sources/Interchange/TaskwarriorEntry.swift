internal import Records

/// Turns one object of an export into a task.
enum TaskwarriorEntry {
    private static let collection = TaskRecord.type.collection
    private static let computed = ["id", "urgency"]
    private static let dates = ["entry", "due", "end", "wait", "scheduled", "until", "modified", "start"]
    private static let ours = ["title", "body", ImportMark.field]

    static func task(_ entry: JSONValue) -> Result<ImportedTask, Reason> {
        Result { () throws(Reason) in
            guard let attributes = entry.object else { throw Reason("it is no JSON object") }
            let key = RecordKey(collection: collection, id: try uuid(attributes["uuid"]))
            var fields = JSONObject()
            for (name, value) in attributes where name != "uuid" && !computed.contains(name) && !value.isNull {
                let (field, converted) = try convert(name, value)
                fields[field] = converted
            }
            guard fields["title"] != nil else { throw Reason("it has no description") }
            guard fields.text.utf8.count <= FieldLimits.fieldsBytes else { throw Reason("it is larger than 1 MiB") }
            return ImportedTask(key: key, fields: fields)
        }
    }

    private static func uuid(_ value: JSONValue?) throws(Reason) -> String {
        guard let text = value?.string else { throw Reason("it has no uuid") }
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        let isUUID =
            groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy { $0.isHexDigit && $0.isASCII }
        guard isUUID else { throw Reason("its uuid \"\(text)\" is none") }
        return text.lowercased()
    }

    private static func convert(_ name: String, _ value: JSONValue) throws(Reason) -> (String, JSONValue) {
        switch name {
        case "description":
            guard let text = value.string, !text.allSatisfy(\.isWhitespace) else {
                throw Reason("its description is no text, or empty")
            }
            return ("title", value)
        case "tags":
            guard let tags = value.array, tags.allSatisfy({ $0.string != nil }) else {
                throw Reason("its tags are no list of texts")
            }
            return (name, value)
        case "annotations": return (name, try annotations(value))
        case _ where dates.contains(name): return (name, try date(value, named: name))
        case _ where ours.contains(name): return ("\(ImportMark.field).\(name)", value)
        default: return (name, value)
        }
    }

    private static func annotations(_ value: JSONValue) throws(Reason) -> JSONValue {
        guard let elements = value.array else { throw Reason("its annotations are no list") }
        var annotations: [JSONValue] = []
        for element in elements {
            guard var annotation = element.object, let entry = annotation["entry"],
                annotation["description"]?.string != nil
            else { throw Reason("an annotation lacks its entry or its description") }
            annotation["entry"] = try date(entry, named: "annotation's entry")
            annotations.append(.object(annotation))
        }
        return .array(annotations)
    }

    /// `20241022T233747Z`, or already RFC 3339, as RFC 3339 in UTC.
    private static func date(_ value: JSONValue, named name: String) throws(Reason) -> JSONValue {
        guard let moment = value.string.flatMap({ Timestamp(compact: $0) ?? Timestamp($0) }) else {
            throw Reason("its \(name) \(value.text) is no date")
        }
        return .string(moment.description)
    }

    /// Why an entry can't be taken.
    struct Reason: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }
}

internal import Records

/// Creates a record from a file.
struct NoteReader {
    let path: String
    let front: FrontMatter
    let body: String
    let days: Days
    let types: RecordTypes

    func record() throws(FrontMatter.Fault) -> ImportedRecord {
        var fields = JSONObject()
        let type = type
        for (index, member) in front.members.enumerated() {
            guard let field = field(of: member.name) else { continue }
            guard let value = value(of: member.value, type.catalog[field]) else {
                throw FrontMatter.Fault(line: index + 2, reason: reason(field, type.catalog[field]))
            }
            if !value.isNull { fields[field] = value }
        }
        let id = try id()
        if fields[FieldKey.title.name] == nil { fields[.title] = headingOfNumberedFile ?? NoteFileName.title(of: path) }
        // Only the line feed that an export adds. By scalars, since "\r\n" is one `Character`.
        let text = body.utf8.last == 0x0A ? String(body.unicodeScalars.dropLast()) : body
        fields[type.body.name] = body.isEmpty ? nil : .string(text)
        if !isCalledByTitle(fields[.title] ?? "", id: id) { fields[MarkdownFormat.pathField] = .string(path) }
        let key = RecordKey(collection: type.collection, id: id)
        return ImportedRecord(key: key, fields: fields, base: self.text("base"))
    }

    /// The first heading of a file that is named by digits, as nb names files by the time (`20261125101112.md`); nil for
    /// other files, and if the first line isn't a heading.
    private var headingOfNumberedFile: String? {
        let name = path.split(separator: "/").last ?? ""
        let stem = name.prefix { $0 != "." }
        guard stem.count >= 8, stem.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == "-" || $0 == "_") }),
            let line = body.split(whereSeparator: \.isNewline).first(where: { !$0.allSatisfy(\.isWhitespace) }),
            line.hasPrefix("# ")
        else { return nil }
        let heading = line.dropFirst(2).trimming { $0.isWhitespace }
        return heading.isEmpty ? nil : heading
    }

    /// The type that the file names, if it is a type of documents.
    private var named: RecordType? {
        text(MarkdownFormat.collectionFact).flatMap { types.documents.contains($0) ? types[$0] : nil }
    }

    private var type: RecordType { named ?? types[types.documents.first ?? NoteRecord.type.collection] }

    /// Returns the field of a name in front matter; nil if it isn't a field. A `collection` that isn't one of documents
    /// is a user-defined field.
    private func field(of name: String) -> String? {
        name == MarkdownFormat.collectionFact && named == nil ? name : MarkdownFormat.field(of: name)
    }

    /// Returns the id; that of a file without one is derived from its path, so that a further import finds the record.
    private func id() throws(FrontMatter.Fault) -> String {
        guard let id = text("id") else { return UUIDText.derived(from: ["markdown", path]) }
        guard RecordKey.isIdentifier(id) else {
            throw FrontMatter.Fault(line: 2, reason: "“\(id)” can't be an id; leave it out for a new note")
        }
        return id
    }

    private func text(_ name: String) -> String? {
        switch front.members.first(where: { $0.name == name })?.value {
        case .plain(let text): text
        case .json(let value): value.string ?? value.text
        case nil: nil
        }
    }

    private func value(of value: FrontMatter.Value, _ field: Field?) -> JSONValue? {
        switch (field?.kind ?? .any, value) {
        case (.title, .plain(let text)): return .string(text)
        case (.title, .json(let value)): return .string(value.string ?? value.text)
        case (.words, .plain(let text)):
            return .array(text.split { $0 == "," || $0.isWhitespace }.map { .string(String($0)) })
        case (.moment, .plain(let text)):
            return days.momentText(text).map { .string($0) }
        case (.date, .plain(let text)):
            return days.dateText(text).map { .string($0) }
        case (_, .plain(let text)): return text.isEmpty ? .null : FrontMatterScalar.value(of: text)
        case (_, .json(let value)): return value
        }
    }

    private func reason(_ name: String, _ field: Field?) -> String {
        field?.kind.isDate == true
            ? "\(name) isn't a date; write it like 2026-11-21" : "the value of “\(name)” can't be read"
    }

    private func isCalledByTitle(_ title: String, id: String) -> Bool {
        [
            NoteFileName.name(title), NoteFileName.name(title, id: id.prefix(8)), NoteFileName.name(title, id: id),
        ].contains(path)
    }
}

extension Substring {
    /// Returns the text without such characters at its beginning and its end.
    fileprivate func trimming(_ isOmitted: (Character) -> Bool) -> String {
        let start = drop(while: isOmitted)
        return String(start.reversed().drop(while: isOmitted).reversed())
    }
}

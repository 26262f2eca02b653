internal import Records

/// Documents as Markdown files of a folder: the fields in front matter, then the body, byte for byte, and a line feed.
///
/// A file is named by its record's title. Without a title in its front matter, the name of the file is the title. The
/// path of a file with another name, or in a subfolder, is stored in the field `path`. A file whose front matter names
/// no collection belongs to the first type of documents: it is a note.
struct MarkdownFormat: FormatRules {
    let format = ExchangeFormat.markdown
    let days: Days
    let types: RecordTypes

    private static let facts = ["id", "base", collectionFact]
    /// The name of the collection in front matter, if it isn't that of the first type.
    static let collectionFact = "collection"
    private static let prefix = "field."
    /// The field that stores the path of a file.
    static let pathField = "path"
    /// The fields that come first, in this order.
    private static let leading = [FieldKey.title.name, FieldKey.tags.name, FieldKey.entry.name]

    // MARK: Writing

    func write(_ entries: [FormatEntry]) -> ExportedDocument.Content {
        let notes = entries.filter { types[$0.record.key.collection].isDocument && title(of: $0.record) != nil }
        let paths = NotePaths(notes.map { ($0.record.key.id, title(of: $0.record) ?? "", path(of: $0.record)) }).paths
        var files: [String: String] = [:]
        for note in notes {
            if let path = paths[note.record.key.id] { files[path] = text(of: note) }
        }
        return .folder(files)
    }

    private func title(of record: Record) -> String? { record[.title] }

    /// Returns the path that a file came from. It may come from another device, so it is checked again.
    private func path(of record: Record) -> String? {
        record.fields[Self.pathField]?.string.flatMap {
            NoteFolder.isSafe($0) && $0.lowercased().hasSuffix(NoteFileName.suffix) ? $0 : nil
        }
    }

    private func text(of entry: FormatEntry) -> String {
        let type = types[entry.record.key.collection]
        var fields = entry.record.fields
        let body = fields[type.body.name]?.string
        if body != nil { fields[type.body.name] = nil }
        if path(of: entry.record) != nil { fields[Self.pathField] = nil }
        fields[ImportMark.field] = nil
        var front = FrontMatter()
        front.members = [("id", .json(.string(entry.record.key.id)))]
        if type.collection != types.documents.first {
            front.members.append((Self.collectionFact, .json(.string(type.collection))))
        }
        for name in Self.leading + fields.names.filter({ !Self.leading.contains($0) }).sorted() {
            guard let value = fields[name] else { continue }
            front.members.append((Self.name(ofField: name), .json(value)))
        }
        if let base = entry.base { front.members.append(("base", .json(.string(base)))) }
        return front.text + (body.map { $0 + "\n" } ?? "")
    }

    /// Returns the id in the front matter of a note's file; nil if there is none.
    static func id(in text: String) -> String? {
        // `try?`: front matter that can't be read has no id.
        guard let parts = FrontMatter.split(text), let front = try? FrontMatter(parts.lines) else { return nil }
        return front.members.first { $0.name == "id" }.flatMap { member in
            switch member.value {
            case .plain(let text): text
            case .json(let value): value.string
            }
        }
    }

    // MARK: Reading

    func records(in text: String) throws(ImportError) -> ImportedRecords {
        // `try?`: any other text isn't a folder, for which there is one message.
        guard let folder = (try? JSONValue(parsing: text)).flatMap(NoteFolder.init) else {
            throw ImportError(file: "Markdown notes are a folder of files: name the folder")
        }
        if folder.files.isEmpty { throw ImportError(file: "no Markdown files are in the folder") }
        var collector = ImportCollector(format, types: types)
        for (path, text) in folder.files.sorted(by: { $0.key < $1.key }) {
            guard NoteFolder.isSafe(path) else {
                collector.refuse(at: .file(path), "the path leads out of the folder, or is hidden")
                continue
            }
            do { collector.add(try note(path, text), at: .file(path)) } catch {
                collector.refuse(at: .file(path, line: error.line), error.reason)
            }
        }
        return try collector.collected()
    }

    private func note(_ path: String, _ text: String) throws(FrontMatter.Fault) -> ImportedRecord {
        var (front, body) = (FrontMatter(), text.withoutByteOrderMark)
        if let parts = FrontMatter.split(text) {
            do {
                front = try FrontMatter(parts.lines)
                body = parts.rest
            } catch {
                // Without an id, front matter that isn't understood stays in the text. With one, its note would be
                // created a second time.
                if parts.lines.contains(where: { $0.hasPrefix("id:") }) { throw error }
            }
        }
        return try NoteReader(path: path, front: front, body: body, days: days, types: types).record()
    }

    /// Returns whether a name in front matter is not a field but identifies the record and its exported state.
    private static func isFact(_ name: String) -> Bool { facts.contains(name) }

    /// Returns the name of a field in front matter.
    static func name(ofField field: String) -> String {
        isFact(field) || field.hasPrefix(prefix) ? prefix + field : field
    }

    /// Returns the field of a name in front matter; nil if it isn't a field.
    static func field(of name: String) -> String? {
        if isFact(name) { return nil }
        let field = name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
        // Only imports set their mark.
        return field == ImportMark.field ? "markdown.\(field)" : field
    }
}

extension RecordTypes {
    /// The collections of documents.
    var documents: [String] { types.filter(\.isDocument).map(\.collection) }
}

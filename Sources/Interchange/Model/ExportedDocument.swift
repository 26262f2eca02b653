internal import Records

/// The result of an export, with its omissions.
public struct ExportedDocument: Sendable, Equatable {
    /// The format's text, or its files.
    public let content: Content
    /// The number of records in it.
    public let count: Int
    /// The numbers of records and fields that the format can't store.
    public let omissions: Omissions

    /// The text; for several files, a JSON object of their paths and texts, which can be read again like the folder.
    public var text: String {
        switch content {
        case .text(let text): text
        case .folder(let files): NoteFolder(files).text
        }
    }

    /// The written text or files. New cases may be added.
    public enum Content: Sendable, Equatable {
        /// One text.
        case text(String)
        /// The texts of a folder, by path: `garden/plan.md`. Each path is relative and doesn't lead out of the folder.
        case folder([String: String])
    }

    /// Numbers of what a format can't store.
    public struct Omissions: Sendable, Equatable {
        /// The omitted records, by collection.
        public var records: [String: Int] = [:]
        /// The number of records in which a field is omitted or shortened, by the field's name.
        public var fields: [String: Int] = [:]

        /// Whether nothing is omitted.
        public var isEmpty: Bool { records.isEmpty && fields.isEmpty }
    }

    /// Returns the message for the user: `3 notes can't be stored in todo.txt. Incomplete or missing fields: body
    /// (12).` It is empty if nothing is omitted.
    public func omissionsText(in format: ExchangeFormat) -> String {
        var parts: [String] = []
        let records = omissions.records.sorted { $0.key < $1.key }.map { Self.counted($0.value, $0.key) }
        if !records.isEmpty {
            let limits = format.limits.map { ", which holds \($0)" } ?? ""
            parts.append("\(records.joined(separator: ", ")) can't be stored in \(format.title)\(limits).")
        }
        let fields = omissions.fields.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        if !fields.isEmpty { parts.append("Incomplete or missing fields: \(fields.joined(separator: ", ")).") }
        return parts.joined(separator: " ")
    }

    /// Returns a number with its noun: `1 note`, `3 notes`.
    private static func counted(_ count: Int, _ collection: String) -> String {
        if collection == ConflictRecord.type.collection {
            return count == 1 ? "1 conflict record" : "\(count) conflict records"
        }
        return count == 1 && collection.hasSuffix("s") ? "1 \(collection.dropLast())" : "\(count) \(collection)"
    }
}

/// The files of a folder by path, as one text: a JSON object of paths and texts.
struct NoteFolder: Equatable {
    let files: [String: String]

    init(_ files: [String: String]) { self.files = files }

    /// Reads such an object; nil if it has other values than texts.
    init?(_ json: JSONValue) {
        guard let members = json.object else { return nil }
        var files: [String: String] = [:]
        for (path, value) in members {
            guard let text = value.string else { return nil }
            files[path] = text
        }
        self.init(files)
    }

    var text: String { JSONObject(files.map { ($0.key, .string($0.value)) }).text }

    /// Returns whether a path is relative, doesn't lead out of its folder, and has no hidden part: `garden/plan.md`.
    static func isSafe(_ path: String) -> Bool {
        // Against path traversal in a crafted file: no absolute path, no `..`, no dot file, and no backslash, which
        // separates on Windows.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return path.utf8.count <= 1_024 && parts.count <= 16
            && parts.allSatisfy { part in
                !part.isEmpty && !part.hasPrefix(".") && part.utf8.count <= 255
                    && !part.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0 == "\\" }
            }
    }
}

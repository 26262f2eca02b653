internal import Records

/// What an export wrote, and what it had to leave out.
public struct ExportedDocument: Sendable, Equatable {
    /// The format's own text, or its files.
    public let content: Content
    /// How many records it holds.
    public let count: Int
    /// What has no place in the format.
    public let omissions: Omissions

    /// The text; of several files, a JSON object of their paths and texts, which can be read again like the folder.
    public var text: String {
        switch content {
        case .text(let text): text
        case .folder(let files): NoteFolder(files).text
        }
    }

    /// What was written.
    public enum Content: Sendable, Equatable {
        /// One text.
        case text(String)
        /// The texts of a folder, by path: `garden/plan.md`. Each path is relative and stays inside the folder.
        case folder([String: String])
    }

    /// What has no place in a format, counted.
    public struct Omissions: Sendable, Equatable {
        /// Records that were left out, by collection.
        public var records: [String: Int] = [:]
        /// Fields that were left out or shortened, by name: in how many records.
        public var fields: [String: Int] = [:]

        /// Whether nothing was left out.
        public var isEmpty: Bool { records.isEmpty && fields.isEmpty }
    }

    /// For the person: `3 notes can't be stored in todo.txt. Incomplete or missing fields: body (12).` Empty if all was
    /// written.
    public func omissionsText(in format: ExchangeFormat) -> String {
        var parts: [String] = []
        let records = omissions.records.sorted { $0.key < $1.key }.map { Self.counted($0.value, $0.key) }
        if !records.isEmpty {
            parts.append("\(records.joined(separator: ", ")) can't be stored in \(format.title).")
        }
        let fields = omissions.fields.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        if !fields.isEmpty { parts.append("Incomplete or missing fields: \(fields.joined(separator: ", ")).") }
        return parts.joined(separator: " ")
    }

    /// A number of records of a collection: `1 note`, `3 notes`.
    private static func counted(_ count: Int, _ collection: String) -> String {
        count == 1 && collection.hasSuffix("s") ? "1 \(collection.dropLast())" : "\(count) \(collection)"
    }
}

/// The files of a folder by path, as one text: a JSON object of paths and texts.
struct NoteFolder: Equatable {
    let files: [String: String]

    init(_ files: [String: String]) { self.files = files }

    /// Reads such an object; nil if it is none of texts.
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

    /// Whether a path is relative and stays inside its folder, with no hidden part: `garden/plan.md`.
    static func isSafe(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        return path.utf8.count <= 1_024 && parts.count <= 16
            && parts.allSatisfy { part in
                !part.isEmpty && !part.hasPrefix(".") && part.utf8.count <= 255
                    && !part.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F || $0 == "\\" }
            }
    }
}

internal import Records

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

internal import Foundation

/// Names of notes' files: their titles, as far as every file system accepts them.
enum NoteFileName {
    static let suffix = ".md"
    private static let longest = 120
    private static let refused: Set<Unicode.Scalar> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|"]
    /// The names that Windows reserves for devices, with any extension.
    private static let devices: Set = ["con", "prn", "aux", "nul"]

    /// The name of a note, and the suffix that distinguishes it from others of the same title.
    static func name(_ title: String) -> String { stem(title) + suffix }
    static func name(_ title: String, id: some StringProtocol) -> String { "\(stem(title)) \(id)" + suffix }

    /// The title in a path: its last part without the extension.
    static func title(of path: String) -> String {
        let last = path.split(separator: "/").last.map(String.init) ?? path
        return last.lowercased().hasSuffix(suffix) ? String(last.dropLast(suffix.count)) : last
    }

    /// What a name is compared by: some file systems treat names as equal that differ in case, or in how an accent is
    /// encoded.
    static func comparable(_ path: String) -> String {
        path.lowercased().precomposedStringWithCanonicalMapping
    }

    private static func stem(_ title: String) -> String {
        let scalars = title.unicodeScalars.map { scalar -> Character in
            let isControl =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.properties.isWhitespace
            return refused.contains(scalar) ? "-" : isControl ? " " : Character(scalar)
        }
        var stem = String(scalars).trimmingCharacters(in: CharacterSet(charactersIn: " ."))
        while stem.utf8.count > longest { stem.removeLast() }
        stem = stem.trimmingCharacters(in: CharacterSet(charactersIn: " ."))
        let device = stem.split(separator: ".").first?.lowercased() ?? ""
        let isDevice =
            devices.contains(device)
            || (device.count == 4 && (device.hasPrefix("com") || device.hasPrefix("lpt"))
                && device.last?.isNumber == true)
        return stem.isEmpty ? "note" : isDevice ? stem + "-" : stem
    }
}

/// Gives each note a path of its own, the same whatever order they come in.
struct NotePaths {
    private(set) var paths: [String: String] = [:]

    /// - Parameter notes: of each its id, its title, and the path that it came from, if that says more than the title.
    init(_ notes: [(id: String, title: String, path: String?)]) {
        // Each choice distinguishes more notes than the one before; if two names are still equal, both use the next
        // choice.
        let choices: [((id: String, title: String, path: String?)) -> String] = [
            { $0.path ?? NoteFileName.name($0.title) }, { NoteFileName.name($0.title, id: $0.id.prefix(8)) },
            { NoteFileName.name($0.title, id: $0.id) },
        ]
        var open = notes
        var used: Set<String> = []
        for choice in choices {
            let groups = Dictionary(grouping: open) { NoteFileName.comparable(choice($0)) }
            let alone = groups.filter { $0.value.count == 1 && !used.contains($0.key) }
            for (name, group) in alone {
                used.insert(name)
                for note in group { paths[note.id] = choice(note) }
            }
            open.removeAll { paths[$0.id] != nil }
        }
        // Ids that differ in case alone.
        for (number, note) in open.sorted(by: { $0.id < $1.id }).enumerated() {
            paths[note.id] = NoteFileName.name(note.title, id: "\(note.id) \(number + 1)")
        }
    }
}

internal import Foundation

/// The names of notes' files: their titles, as far as every file system accepts them.
enum NoteFileName {
    static let suffix = ".md"
    // Most file systems allow 255 bytes; the rest is for the id and the extension.
    private static let longest = 120
    private static let refused: Set<Unicode.Scalar> = ["/", "\\", ":", "*", "?", "\"", "<", ">", "|"]
    /// The names that Windows reserves for devices, with any extension.
    private static let devices: Set = ["con", "prn", "aux", "nul"]

    /// Returns the name of a note, or of one that an id distinguishes from others with the same title.
    static func name(_ title: String) -> String { stem(title) + suffix }
    static func name(_ title: String, id: some StringProtocol) -> String { "\(stem(title)) \(id)" + suffix }

    /// Returns the title in a path: its last part without the extension.
    static func title(of path: String) -> String {
        let last = path.split(separator: "/").last.map(String.init) ?? path
        return last.lowercased().hasSuffix(suffix) ? String(last.dropLast(suffix.count)) : last
    }

    /// Returns the form in which names are compared: some file systems treat names as equal that differ in case, or in
    /// the encoding of an accent.
    static func comparable(_ path: String) -> String {
        path.lowercased().precomposedStringWithCanonicalMapping
    }

    private static func stem(_ title: String) -> String {
        let scalars = title.unicodeScalars.map { scalar -> Character in
            // A control of the direction would show the name in another order than it is stored.
            let isControl =
                scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.properties.isWhitespace
                || scalar.properties.isBidiControl
            return refused.contains(scalar) ? "-" : isControl ? " " : Character(scalar)
        }
        var stem = String(scalars).trimmingCharacters(in: CharacterSet(charactersIn: " ."))
        // By characters, so that no character is cut into invalid UTF-8.
        while stem.utf8.count > longest { stem.removeLast() }
        stem = stem.trimmingCharacters(in: CharacterSet(charactersIn: " ."))
        let beginning = stem.prefix { $0 != "." }
        let device = beginning.lowercased()
        let isDevice =
            devices.contains(device)
            || (device.count == 4 && (device.hasPrefix("com") || device.hasPrefix("lpt"))
                && device.last?.isNumber == true)
        if stem.isEmpty { return "note" }
        // Windows ignores everything from the first full stop on: `con.txt` is the device, too.
        return isDevice ? beginning + "-" + stem.dropFirst(beginning.count) : stem
    }
}

/// The paths of notes: each note has its own path, independent of the order of the notes.
struct NotePaths {
    private(set) var paths: [String: String] = [:]

    /// Chooses the paths.
    ///
    /// - Parameter notes: The id and the title of each note, and the path that it came from, if it differs from the
    ///   title.
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
        // What is left are ids that differ only in case.
        for (number, note) in open.sorted(by: { $0.id < $1.id }).enumerated() {
            paths[note.id] = NoteFileName.name(note.title, id: "\(note.id) \(number + 1)")
        }
    }
}

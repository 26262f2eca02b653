import Foundation
import Records
import Testing

@testable import Interchange

@Suite("Markdown notes")
struct MarkdownTests {
    private let codec = FormatCodec(.markdown, timeZone: .gmt, types: .standard)

    private func files(_ notes: [(id: String, title: String)]) -> [String] {
        let records = notes.map { note in
            Record(key: RecordKey(collection: "notes", id: note.id), fields: ["title": .string(note.title)])
        }
        guard case .folder(let files) = codec.encode(records).content else { return [] }
        return files.keys.sorted()
    }

    private func read(_ files: [String: String]) throws -> [ImportedRecord] {
        try codec.decode(NoteFolder(files).text)
    }

    @Test("a note is its fields in front matter, and its body byte for byte")
    func file() throws {
        let fields: JSONObject = [
            "title": "Garden: plan", "tags": ["a", "b c"], "entry": "2026-11-21T10:00:00Z", "n": 5, "s": "5",
            "body": "# Plan\r\n---\n\tend",
        ]
        let document = codec.encode([Record(key: RecordKey(collection: "notes", id: "x"), fields: fields)])
        guard case .folder(let files) = document.content else { return }
        let text = try #require(files["Garden- plan.md"])
        let expected = """
            ---
            id: x
            title: "Garden: plan"
            tags: ["a","b c"]
            entry: 2026-11-21T10:00:00Z
            n: 5
            s: "5"
            base:
            """
        #expect(text.hasPrefix(expected) && text.hasSuffix("\n---\n# Plan\r\n---\n\tend\n"), "\(text)")
    }

    @Test(
        "a file's name is the title, as far as every file system allows",
        arguments: [
            ("Plan", "Plan.md"), ("a/b\\c:d", "a-b-c-d.md"), ("../../etc/passwd", "-..-etc-passwd.md"),
            ("...", "note.md"),
            (".hidden ", "hidden.md"), ("CON", "CON-.md"), ("com1.txt", "com1-.txt.md"), ("a\tb\u{0}", "a b.md"),
            ("a\u{202E}b", "a b.md"),
            ("Grüße 🚲", "Grüße 🚲.md"),
        ])
    func names(title: String, name: String) {
        #expect(files([("x", title)]) == [name])
        #expect(NoteFolder.isSafe(name))
    }

    @Test("long titles are cut between characters; notes whose names would be equal are distinguished by their ids")
    func collisions() {
        #expect(files([("x", String(repeating: "ü", count: 200))]).allSatisfy { $0.utf8.count <= 130 })
        #expect(files([("1", "Plan"), ("2", "PLAN"), ("3", "Other")]) == ["Other.md", "PLAN 2.md", "Plan 1.md"])
        #expect(files([("1", "e\u{301}"), ("2", "é")]).count == 2)
        #expect(files([("12345678-a", "P"), ("12345678-b", "P"), ("c", "P 12345678")]).count == 3)
    }

    @Test("a note from another program gets its title from the file name; its path is kept if it says more")
    func foreign() throws {
        let files = [
            "Plan.md": "# Plan\nbody", "sub/Tags.md": "---\ntags:\n- a\n- 'b''s'\n# no more\nn: 5\n---\ntext\n",
        ]
        let notes = try read(files)
        #expect(
            notes.map(\.fields) == [
                ["title": "Plan", "body": "# Plan\nbody"],
                ["title": "Tags", "body": "text", "tags": ["a", "b's"], "n": 5, "path": "sub/Tags.md"],
            ])
        guard
            case .folder(let written) = codec.encode(notes.map { Record(key: $0.key, fields: $0.fields) }).content
        else { return }
        #expect(written.keys.sorted() == ["Plan.md", "sub/Tags.md"])
        #expect(try read(files).map(\.key) == notes.map(\.key))
    }

    @Test("a path that leads out of the folder is refused on import, and not used on export")
    func traversal() throws {
        for path in ["../a.md", "/a.md", "a//b.md", ".git/a.md", "a/../b.md", "a\\b.md", "a\nb.md", ""] {
            #expect(throws: ImportError.self, "\(path)") { try read([path: "text"]) }
            let fields: JSONObject = ["title": "T", "path": .string(path)]
            let document = codec.encode([Record(key: RecordKey(collection: "notes", id: "x"), fields: fields)])
            guard case .folder(let files) = document.content else { return }
            #expect(files.keys.sorted() == ["T.md"] && document.omissions.isEmpty)
        }
    }

    @Test("invalid front matter stays in the text; if it has an id, its line is reported")
    func faults() throws {
        let nested = "---\ntitle: T\nmap:\n  a: 1\n---\ntext"
        #expect(try read(["N.md": nested])[0].fields == ["title": "N", "body": .string(nested)])
        let error = try #require(throws: ImportError.self) {
            try read(["a.md": "---\nid: x\nmap:\n  a: 1\n---\n", "b.md": "---\nid: a/b\n---\n"])
        }
        #expect(
            error.problems.map(\.description) == [
                "“a.md”, line 4: this isn't of the form “name: value”",
                "“b.md”, line 2: “a/b” can't be an id; leave it out for a new note",
            ])
    }
}

import Foundation
import Testing

@testable import Records

/// `git merge-file` as a judge: where it merges cleanly, so do we, to the same text.
@Suite("Texts merge as in git")
struct GitMergeTests {
    @Test("generated texts", arguments: 0..<6 as Range<UInt64>)
    func generated(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let folder = FileManager.default.temporaryDirectory.appending(path: "satchel-merge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var clean = 0
        for round in 0..<30 {
            let base = text(&dice)
            let (one, other) = (edited(base, &dice), edited(base, &dice))
            let expected = try git(base, one, other, in: folder)
            let merge = TextMerge(base: base, earlier: one, later: other)
            guard let expected else { continue }
            clean += 1
            #expect(!merge.hasOverlaps, "seed \(seed), round \(round)")
            #expect(merge.text == expected, "seed \(seed), round \(round)")
        }
        #expect(clean > 5, "the generator must give texts that merge")
    }

    /// Versions of this repository's own files, as they came one after the other or met in merges (Histories/collect.py).
    ///
    /// Exceptions: none. Both sides take changes that touch as one region, and choose the same lines as common.
    @Test("versions of real files with real histories, either way round")
    func histories() throws {
        let triples = try Histories.load()
        #expect(triples.count > 30)
        let folder = FileManager.default.temporaryDirectory.appending(path: "satchel-merge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var clean = 0
        for (number, triple) in triples.enumerated() {
            for (one, other) in [(triple.one, triple.other), (triple.other, triple.one)] {
                let merge = TextMerge(base: triple.base, earlier: one, later: other)
                guard let expected = try git(triple.base, one, other, in: folder) else { continue }
                clean += 1
                #expect(!merge.hasOverlaps, "triple \(number)")
                #expect(merge.text == expected, "triple \(number)")
                // What was merged is sent on top of the other side, which is the base from then on.
                let again = TextMerge(base: other, earlier: merge.text, later: other)
                #expect(!again.hasOverlaps && again.text == merge.text, "triple \(number): merged twice")
            }
        }
        #expect(clean > 20, "some of the histories must merge")
    }

    /// What git makes of it; nil for a conflict.
    private func git(_ base: String, _ one: String, _ other: String, in folder: URL) throws -> String? {
        for (name, text) in [("base", base), ("one", one), ("other", other)] {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "merge-file", "-p", "one", "base", "other"]
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: bytes, as: UTF8.self) : nil
    }

    private func text(_ dice: inout Dice) -> String {
        let kinds = dice.pick([4, 12, 1_000])
        let lines = (0..<dice.roll(40)).map { _ in dice.oneIn(5) ? "" : "line \(dice.roll(kinds))" }
        return lines.joined(separator: "\n") + dice.pick(["", "\n", "\n"])
    }

    private func edited(_ text: String, _ dice: inout Dice) -> String {
        var lines = text.components(separatedBy: "\n")
        for _ in 0..<dice.roll(4) {
            let place = dice.roll(lines.count)
            switch dice.roll(4) {
            case 0: lines.insert(contentsOf: (0...dice.roll(3)).map { _ in "new \(dice.roll(5))" }, at: place)
            case 1: lines.remove(at: place)
            case 2: lines.insert(lines[place], at: dice.roll(lines.count))
            default: lines[place] = "changed \(dice.roll(5))"
            }
            if lines.isEmpty { lines = [""] }
        }
        return lines.joined(separator: "\n")
    }
}

/// The texts of histories.json.
private struct Histories: Decodable {
    let lines: [String]
    /// Runs of lines: the number of the first, and how many.
    let triples: [[[Int]]]

    static func load() throws -> [(base: String, one: String, other: String)] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Histories/histories.json")
        let histories = try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
        return histories.triples.map { triple in
            let texts = triple.map(histories.text)
            return (texts[0], texts[1], texts[2])
        }
    }

    private func text(of runs: [Int]) -> String {
        stride(from: 0, to: runs.count, by: 2).flatMap { lines[runs[$0]..<runs[$0] + runs[$0 + 1]] }
            .joined(separator: "\n")
    }
}

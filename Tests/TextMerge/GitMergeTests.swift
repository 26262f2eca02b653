import Foundation
import TestSupport
import Testing

@testable import TextMerge

/// `git merge-file` as a reference: if it merges cleanly, so does our merge, to the same text.
@Suite("Texts merge as in git")
struct GitMergeTests {
    @Test("generated texts", arguments: 0..<6 as Range<UInt64>)
    func generated(seed: UInt64) async throws { try await compare(rounds: 30, seed: seed, text: text, edited: edited) }

    @Test("short texts of few lines that repeat", arguments: Array(100..<106) + [UInt64.random(in: 1_000...(.max))])
    func repetitive(seed: UInt64) async throws {
        try await compare(rounds: 60, seed: seed, text: repetitive, edited: shuffled)
    }

    @Test(
        "former differences from git: frequent lines among missing ones, in both directions",
        arguments: [
            (
                "l4 l4 l0 l2 l2 l4 l2 l0 l3 l0 ", "l4 l4 l0 l2 l2 l4 l2 l0 n1 l3 l0 ",
                "l4 l4 n1 n1 l0 l2 l2 l0 l3 l0 l2 l2 l2 l0 l3 l0"
            )
        ])
    func known(base: String, one: String, other: String) async throws {
        let (base, one, other) = (inLines(base), inLines(one), inLines(other))
        try await withTemporaryDirectory { folder in
            let merged = try await git(base, one, other, in: folder)
            let expected = try #require(merged)
            #expect(MergedText(base: base, earlier: one, later: other).text == expected)
            #expect(MergedText(base: base, earlier: other, later: one).text == expected)
        }
    }

    @Test("long texts, for which the search stops before it finds the shortest difference", arguments: [200, 201, 202])
    func long(seed: UInt64) async throws {
        try await compare(rounds: 4, seed: seed) { random in
            (0..<1_500).map { _ in "line \(random.below(12))\n" }.joined()
        } edited: { text, random in
            var lines = text.components(separatedBy: "\n")
            // Each side rewrites a part of its own, so that the two still merge.
            let half = random.below(2) * 800
            for _ in 0..<500 { lines[half + random.below(600)] = "line \(random.below(12))" }
            return lines.joined(separator: "\n")
        }
    }

    /// Generates texts and two edits of each, and compares what merges in git.
    private func compare(
        rounds: Int, seed: UInt64, text: (inout SeededRandom) -> String, edited: (String, inout SeededRandom) -> String
    ) async throws {
        var random = SeededRandom(seed: seed)
        var clean = 0
        try await withTemporaryDirectory { folder in
            for round in 0..<rounds {
                let base = text(&random)
                let (one, other) = (edited(base, &random), edited(base, &random))
                guard let expected = try await git(base, one, other, in: folder) else { continue }
                let merge = MergedText(base: base, earlier: one, later: other)
                clean += 1
                #expect(!merge.hasOverlaps, "seed \(seed), round \(round)")
                #expect(merge.text == expected, "seed \(seed), round \(round)")
            }
        }
        #expect(clean > 0, "the generator must generate texts that merge")
    }

    private func inLines(_ words: String) -> String { words.replacing(" ", with: "\n") }

    /// Versions of this repository's own files, consecutive ones or those of merges (Histories/collect.py).
    ///
    /// Exceptions: none. Both merges treat touching changes as one region, and choose the same common lines.
    @Test("versions of real files with real histories, in both directions")
    func histories() async throws {
        let triples = try Histories.load()
        #expect(triples.count > 30)
        var clean = 0
        try await withTemporaryDirectory { folder in
            for (number, triple) in triples.enumerated() {
                for (one, other) in [(triple.one, triple.other), (triple.other, triple.one)] {
                    let merge = MergedText(base: triple.base, earlier: one, later: other)
                    guard let expected = try await git(triple.base, one, other, in: folder) else { continue }
                    clean += 1
                    #expect(!merge.hasOverlaps, "triple \(number)")
                    #expect(merge.text == expected, "triple \(number)")
                    // The merged text is sent on top of the other side, which is the base from then on.
                    let again = MergedText(base: other, earlier: merge.text, later: other)
                    #expect(!again.hasOverlaps && again.text == merge.text, "triple \(number): merged twice")
                }
            }
        }
        #expect(clean > 20, "some of the histories must merge")
    }

    /// The result of git's merge; nil for a conflict.
    private func git(_ base: String, _ one: String, _ other: String, in folder: URL) async throws -> String? {
        for (name, text) in [("base", base), ("one", one), ("other", other)] {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        let outcome = try await TestProgram.run("git", ["-C", folder.path, "merge-file", "-p", "one", "base", "other"])
        return outcome.succeeded ? String(decoding: outcome.output, as: UTF8.self) : nil
    }

    private func repetitive(_ random: inout SeededRandom) -> String {
        let kinds = random.element(of: [2, 3, 5])
        return (0..<random.below(40)).map { _ in random.oneIn(5) ? "\n" : "l\(random.below(kinds))\n" }.joined()
    }

    /// Up to four runs of lines removed, copied, moved or new; sometimes the last line feed is removed.
    private func shuffled(_ text: String, _ random: inout SeededRandom) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) + "\n" }
        lines.removeLast()
        for _ in 0..<random.below(5) {
            let start = random.below(lines.count + 1)
            let run = Array(lines[start..<min(lines.count, start + 1 + random.below(5))])
            let choice = random.below(4)
            if choice < 2 { lines.removeSubrange(start..<start + run.count) }
            let new = choice == 3 ? (0...random.below(3)).map { _ in "n\(random.below(4))\n" } : run
            if choice > 0 { lines.insert(contentsOf: new, at: random.below(lines.count + 1)) }
        }
        let text = lines.joined()
        return random.oneIn(6) ? String(text.dropLast()) : text
    }

    private func text(_ random: inout SeededRandom) -> String {
        let kinds = random.element(of: [4, 12, 1_000])
        let lines = (0..<random.below(40)).map { _ in random.oneIn(5) ? "" : "line \(random.below(kinds))" }
        return lines.joined(separator: "\n") + random.element(of: ["", "\n", "\n"])
    }

    private func edited(_ text: String, _ random: inout SeededRandom) -> String {
        var lines = text.components(separatedBy: "\n")
        for _ in 0..<random.below(4) {
            let place = random.below(lines.count)
            switch random.below(4) {
            case 0: lines.insert(contentsOf: (0...random.below(3)).map { _ in "new \(random.below(5))" }, at: place)
            case 1: lines.remove(at: place)
            case 2: lines.insert(lines[place], at: random.below(lines.count))
            default: lines[place] = "changed \(random.below(5))"
            }
            if lines.isEmpty { lines = [""] }
        }
        return lines.joined(separator: "\n")
    }
}

/// The texts of histories.json.
private struct Histories: Decodable {
    let lines: [String]
    /// Runs of lines: the number of the first, and the count.
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

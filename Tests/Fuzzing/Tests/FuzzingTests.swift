import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Replays the inputs that `Tests/fuzz` keeps, and changes of them that are the same each time.
@MainActor
@Suite("Parsers of bytes from outside", .timeLimit(.minutes(10)))
struct FuzzingTests {
    nonisolated private static let names = FuzzTarget.all.map(\.name)

    @Test("each kept input is parsed correctly, or refused with the declared error", arguments: names)
    func corpus(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try Corpus.inputs(of: name)
        #expect(!inputs.isEmpty, "Tests/Fuzzing/Corpus/\(name) has no input")
        for input in inputs { expectCorrect(target, Array(input.bytes), "\(name)/\(input.name)") }
    }

    @Test("each changed input is parsed correctly, or refused with the declared error", arguments: names)
    func changes(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let inputs = try Corpus.inputs(of: name).map(\.bytes)
        var change = Change(inputs, seed: UInt64(name.utf8.count))
        for round in 0..<Self.rounds {
            let input = change.next()
            expectCorrect(target, input, "\(name), round \(round): \(String(decoding: input, as: UTF8.self))")
        }
    }

    @Test("each directory of inputs has a target")
    func directories() throws {
        let directories = try FileManager.default.contentsOfDirectory(atPath: Corpus.directory.path)
        #expect(directories.sorted() == Self.names.sorted())
    }

    /// The changed inputs of each target: `SATCHEL_FUZZ_ROUNDS`, or 400.
    private static let rounds = ProcessInfo.processInfo.environment["SATCHEL_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 400

    private func expectCorrect(_ target: FuzzTarget, _ input: [UInt8], _ words: @autoclosure () -> String) {
        do { try target.check(input) } catch { Issue.record("\(words()): \(error)") }
    }
}

/// The kept inputs.
private enum Corpus {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Corpus")

    static func inputs(of target: String) throws -> [(name: String, bytes: [UInt8])] {
        let directory = directory.appending(path: target)
        return try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted().map { name in
            (name, Array(try Data(contentsOf: directory.appending(path: name))))
        }
    }
}

/// Changes inputs as libFuzzer does, without its knowledge of what they reach.
private struct Change {
    private let inputs: [[UInt8]]
    private var random: SeededRandom
    /// Bytes with a meaning in several formats.
    private static let special =
        Array("{}[]\"\\,:;=+-@#'\n\r\t /()0~*!".utf8) + [0, 0x7F, 0x80, 0xBF, 0xC3, 0xE2, 0xF0, 0xFF]

    init(_ inputs: [[UInt8]], seed: UInt64) {
        self.inputs = inputs
        random = SeededRandom(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var input = random.pick(inputs) ?? []
        for _ in 0...random.below(4) { change(&input) }
        return input
    }

    private mutating func change(_ input: inout [UInt8]) {
        let (start, end) = (random.below(input.count + 1), random.below(input.count + 1))
        let range = min(start, end)..<max(start, end)
        switch random.below(6) {
        case 0: input.insert(random.element(of: Self.special), at: start)
        case 1: input.removeSubrange(range.prefix(8))
        case 2: input.insert(contentsOf: input[range].prefix(64), at: start)
        case 3: input.replaceSubrange(range.prefix(16), with: random.pick(inputs) ?? [])
        case 4 where start < input.count: input[start] ^= 1 << UInt8(random.below(8))
        default: input.insert(UInt8(random.below(256)), at: start)
        }
    }
}

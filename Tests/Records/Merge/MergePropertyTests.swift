import Records
import TestSupport
import Testing

/// Generated records on three devices.
@Suite("Properties of every merge")
struct MergePropertyTests {
    @Test("swapped or repeated, a merge of generated states gives the same", arguments: 0..<400 as Range<UInt64>)
    func symmetricAndIdempotent(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let base = Generated.side(&random, device: "base")
        let mine = Generated.edited(base, by: "a", &random)
        let theirs = Generated.edited(base, by: "b", &random)
        let outcome = merged(base: random.oneIn(4) ? nil : base, mine, theirs)
        for field in outcome.fields.names { #expect(outcome.clock[field] != nil, "seed \(seed): \(field)") }
    }

    @Test("no value is lost: it is in the record or in a conflict", arguments: 0..<400 as Range<UInt64>)
    func nothingLost(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let base = Generated.side(&random, device: "base")
        let sides = [Generated.edited(base, by: "a", &random), Generated.edited(base, by: "b", &random)]
        let outcome = merged(base: base, sides[0], sides[1])
        for side in sides where !side.deleted {
            for (name, value) in side.fields
            where value != base.fields[name] && TaskRecord.type.rule(for: name) == .latest {
                let conflict = outcome.conflicts.first { $0.field == name }
                #expect(
                    outcome.fields[name] == value || conflict?.earlier.value == value || conflict?.later.value == value,
                    "seed \(seed): \(name)")
            }
        }
    }

    @Test("three devices that follow a server's order converge", arguments: 0..<300 as Range<UInt64>)
    func convergence(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let first = Generated.side(&random, device: "base")
        var server = first
        // What each device has seen of the server, and what it holds.
        var mirrors = [first, first, first]
        var locals = mirrors
        for step in 0..<40 {
            let device = random.below(3)
            if step < 30, random.oneIn(2) {
                locals[device] = Generated.edited(locals[device], by: "device\(device)", &random)
            } else {
                sync(&locals[device], &mirrors[device], &server)
            }
        }
        for _ in 0..<2 { for device in 0..<3 { sync(&locals[device], &mirrors[device], &server) } }
        for device in 0..<3 { #expect(locals[device] == server, "seed \(seed): device \(device)") }
    }

    /// A device pulls, merges and pushes the outcome.
    private func sync(
        _ local: inout ThreeWayMerge.Side, _ mirror: inout ThreeWayMerge.Side, _ server: inout ThreeWayMerge.Side
    ) {
        local = ThreeWayMerge.merge(base: mirror, mine: local, theirs: server, type: TaskRecord.type).side
        server = local
        mirror = local
    }
}

/// Records with few fields and values, so that they often collide.
enum Generated {
    static func side(_ random: inout SeededRandom, device: String) -> ThreeWayMerge.Side {
        var fields: JSONObject = ["title": "start"]
        for name in ["due", "tags", "body"] where random.oneIn(2) { fields[name] = value(of: name, &random) }
        return ThreeWayMerge.Side(
            fields: fields, clock: FieldClocks(all: HLC(milliseconds: UInt64(random.below(10)), device: device)))
    }

    static func edited(_ side: ThreeWayMerge.Side, by device: String, _ random: inout SeededRandom)
        -> ThreeWayMerge.Side
    {
        if random.oneIn(12) { return ThreeWayMerge.Side(fields: [:], clock: side.clock, deleted: true) }
        var (fields, clock) = (side.fields, side.clock)
        for name in ["title", "due", "tags", "body", "x"] where random.oneIn(3) {
            fields[name] = random.oneIn(5) ? nil : value(of: name, &random)
            clock.stamp(
                [name],
                at: HLC(milliseconds: UInt64(random.below(20)), counter: UInt16(random.below(3)), device: device))
        }
        return ThreeWayMerge.Side(fields: fields, clock: clock)
    }

    private static func value(of name: String, _ random: inout SeededRandom) -> JSONValue {
        switch name {
        case "tags": .array((0..<random.below(4)).map { _ in .string(random.element(of: ["a", "b", "c", "d", "e"])) })
        case "body":
            .string(
                (0..<random.below(5)).map { _ in random.element(of: ["one", "two", "three", ""]) }.joined(
                    separator: "\n"))
        case "x": random.oneIn(2) ? 1 : ["nested": [1, .null]]
        default: .string(random.element(of: ["red", "green", "blue"]))
        }
    }
}

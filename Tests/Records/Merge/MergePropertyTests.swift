import Records
import Testing

/// Generated records on three devices.
@Suite("Properties of every merge")
struct MergePropertyTests {
    @Test("swapped or repeated, a merge of generated states gives the same", arguments: 0..<400 as Range<UInt64>)
    func symmetricAndIdempotent(seed: UInt64) {
        var dice = Dice(seed: seed)
        let base = Generated.side(&dice, device: "base")
        let mine = Generated.edited(base, by: "a", &dice)
        let theirs = Generated.edited(base, by: "b", &dice)
        let outcome = merged(base: dice.oneIn(4) ? nil : base, mine, theirs)
        for field in outcome.fields.names { #expect(outcome.clock[field] != nil, "seed \(seed): \(field)") }
    }

    @Test("no value is lost: it is in the record or in a conflict", arguments: 0..<400 as Range<UInt64>)
    func nothingLost(seed: UInt64) {
        var dice = Dice(seed: seed)
        let base = Generated.side(&dice, device: "base")
        let sides = [Generated.edited(base, by: "a", &dice), Generated.edited(base, by: "b", &dice)]
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
        var dice = Dice(seed: seed)
        let first = Generated.side(&dice, device: "base")
        var server = first
        // What each device has seen of the server, and what it holds.
        var mirrors = [first, first, first]
        var locals = mirrors
        for step in 0..<40 {
            let device = dice.roll(3)
            if step < 30, dice.oneIn(2) {
                locals[device] = Generated.edited(locals[device], by: "device\(device)", &dice)
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

/// Records as a test needs them: few fields and values, so that they often meet.
enum Generated {
    static func side(_ dice: inout Dice, device: String) -> ThreeWayMerge.Side {
        var fields: JSONObject = ["title": "start"]
        for name in ["due", "tags", "body"] where dice.oneIn(2) { fields[name] = value(of: name, &dice) }
        return ThreeWayMerge.Side(
            fields: fields, clock: FieldClocks(all: HLC(milliseconds: UInt64(dice.roll(10)), device: device)))
    }

    static func edited(_ side: ThreeWayMerge.Side, by device: String, _ dice: inout Dice) -> ThreeWayMerge.Side {
        if dice.oneIn(12) { return ThreeWayMerge.Side(fields: [:], clock: side.clock, deleted: true) }
        var (fields, clock) = (side.fields, side.clock)
        for name in ["title", "due", "tags", "body", "x"] where dice.oneIn(3) {
            fields[name] = dice.oneIn(5) ? nil : value(of: name, &dice)
            clock.stamp(
                [name], at: HLC(milliseconds: UInt64(dice.roll(20)), counter: UInt16(dice.roll(3)), device: device))
        }
        return ThreeWayMerge.Side(fields: fields, clock: clock)
    }

    private static func value(of name: String, _ dice: inout Dice) -> JSONValue {
        switch name {
        case "tags": .array((0..<dice.roll(4)).map { _ in .string(dice.pick(["a", "b", "c", "d", "e"])) })
        case "body":
            .string((0..<dice.roll(5)).map { _ in dice.pick(["one", "two", "three", ""]) }.joined(separator: "\n"))
        case "x": dice.oneIn(2) ? 1 : ["nested": [1, .null]]
        default: .string(dice.pick(["red", "green", "blue"]))
        }
    }
}

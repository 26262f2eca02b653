import Records
import Testing

/// A state of a record for tests; `at` is its one clock, `clocks` are those of single fields.
func side(_ fields: JSONObject, at milliseconds: UInt64 = 1, by device: String = "d", _ clocks: [String: UInt64] = [:])
    -> ThreeWayMerge.Side
{
    var clock = FieldClocks(all: HLC(milliseconds: milliseconds, device: device))
    for (field, moment) in clocks { clock.stamp([field], at: HLC(milliseconds: moment, device: device)) }
    return ThreeWayMerge.Side(fields: fields, clock: clock)
}

/// A tombstone that had seen the clocks of `seen`.
func tombstone(of seen: ThreeWayMerge.Side) -> ThreeWayMerge.Side {
    ThreeWayMerge.Side(fields: [:], clock: seen.clock, deleted: true)
}

/// Merges, and checks what holds for every merge: the sides may be swapped, and merging again changes nothing.
func merged(
    base: ThreeWayMerge.Side?, _ mine: ThreeWayMerge.Side, _ theirs: ThreeWayMerge.Side,
    type: RecordType = TaskRecord.type, _ location: SourceLocation = #_sourceLocation
) -> ThreeWayMerge.Outcome {
    func merge(_ base: ThreeWayMerge.Side?, _ mine: ThreeWayMerge.Side, _ theirs: ThreeWayMerge.Side)
        -> ThreeWayMerge.Outcome
    { ThreeWayMerge.merge(base: base, mine: mine, theirs: theirs, type: type) }

    let outcome = merge(base, mine, theirs)
    #expect(merge(base, theirs, mine) == outcome, "swapped", sourceLocation: location)
    for again in [
        merge(theirs, outcome.side, theirs), merge(mine, mine, outcome.side), merge(base, outcome.side, outcome.side),
    ] {
        #expect(again.side == outcome.side, "again", sourceLocation: location)
        #expect(again.conflicts.isEmpty, "again", sourceLocation: location)
    }
    for one in [mine, theirs] {
        let same = merge(base, one, one)
        #expect(same.side == one, "with itself", sourceLocation: location)
        #expect(same.conflicts.isEmpty, "with itself", sourceLocation: location)
    }
    return outcome
}

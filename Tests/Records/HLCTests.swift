import Records
import TestSupport
import Testing

@Suite("Hybrid logical clocks")
struct HLCTests {
    @Test("a time survives a round trip through its text")
    func roundTrip() throws {
        let moment = HLC(milliseconds: 0x0192_B6F0_A5C4, counter: 0xAB, device: "6c14-61_F5")
        #expect(moment.description == "0192b6f0a5c4-00ab-6c14-61_F5")
        #expect(HLC(moment.description) == moment)
    }

    @Test(
        "another text is refused",
        arguments: [
            "", "0192b6f0a5c4", "0192b6f0a5c4-00ab", "0192b6f0a5c4-00ab-", "192b6f0a5c4-00ab-d", "0192B6F0A5C4-00ab-d",
            "0192b6f0a5c4-0ab-d", "+192b6f0a5c4-00ab-d", "0192b6f0a5c4-00ab-d d", "0192b6f0a5c4-00ab-é",
            "0192b6f0a5c4-00ab-" + String(repeating: "d", count: 65),
        ])
    func malformed(text: String) { #expect(HLC(text) == nil) }

    @Test("texts sort in the order of their times", arguments: 0..<100 as Range<UInt64>)
    func order(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func moment() -> HLC {
            HLC(
                milliseconds: UInt64(random.below(3)) << 40, counter: UInt16(random.below(2)) << 12,
                device: random.element(of: ["a", "B", "_"]))
        }
        let (one, other) = (moment(), moment())
        #expect((one < other) == one.description.utf8.lexicographicallyPrecedes(other.description.utf8), "seed \(seed)")
        #expect((one == other) == (one.description == other.description))
    }

    @Test("the next time is later, carries, and stops at the maximum")
    func next() {
        let moment = HLC(milliseconds: 5, counter: .max, device: "d")
        #expect(HLC(milliseconds: 5, counter: 1, device: "d").next == HLC(milliseconds: 5, counter: 2, device: "d"))
        #expect(moment.next == HLC(milliseconds: 6, counter: 0, device: "d"))
        let last = HLC(milliseconds: .max, counter: .max, device: "d")
        #expect(last.milliseconds == HLC.maximumMilliseconds)
        #expect(last.next == last)
        #expect(HLC(last.description) == last)
    }

    @Test("a new edit is later than the wall clock and all that was seen")
    func now() {
        let seen = HLC(milliseconds: 100, counter: 3, device: "x")
        #expect(HLC.now(wall: 50, after: seen, device: "d") == HLC(milliseconds: 100, counter: 4, device: "d"))
        #expect(HLC.now(wall: 100, after: seen, device: "d") == HLC(milliseconds: 100, counter: 4, device: "d"))
        #expect(HLC.now(wall: 101, after: seen, device: "d") == HLC(milliseconds: 101, device: "d"))
        #expect(HLC.now(wall: 7, after: nil, device: "d") == HLC(milliseconds: 7, device: "d"))
    }
}

@Suite("Clocks of fields")
struct FieldClocksTests {
    private func at(_ milliseconds: UInt64) -> HLC { HLC(milliseconds: milliseconds, device: "d") }

    @Test("a field that isn't named has the time of *")
    func rest() {
        var clock = FieldClocks(all: at(1))
        clock.stamp(["title"], at: at(2))
        #expect(clock["title"] == at(2))
        #expect(clock["due"] == at(1))
        #expect(FieldClocks()["due"] == nil)
        #expect(clock.latest == at(2))
    }

    @Test("clocks survive a round trip through JSON; other shapes are refused")
    func json() {
        let clock = FieldClocks(["*": at(1), "title": at(2)])
        #expect(FieldClocks(json: clock.json) == clock)
        for other in [.null, [], ["*": 1], ["*": "x"]] as [JSONValue] { #expect(FieldClocks(json: other) == nil) }
    }
}

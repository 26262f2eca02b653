import Testing

@testable import Records

@Suite("Work on a record")
struct WorkRuleTests {
    private let start = Timestamp(seconds: 1_795_000_000)
    private var later: Timestamp { Timestamp(seconds: start.seconds + 4_800) }

    @Test(
        "a duration is read in the forms that people and ISO 8601 write, and stored in one",
        arguments: [
            ("90min", "PT1H30M", "1h 30min"), ("1h 20min", "PT1H20M", "1h 20min"), ("PT1H20M", "PT1H20M", "1h 20min"),
            ("P1DT2H", "PT26H", "26h"), ("45s", "PT45S", "45s"), ("2h30m", "PT2H30M", "2h 30min"),
            ("1h5s", "PT1H5S", "1h"), ("90", nil, nil), ("P1M", nil, nil), ("1min2h", nil, nil), ("", nil, nil),
            ("99999999999h", nil, nil), ("an hour", nil, nil),
        ] as [(String, String?, String?)])
    func durations(typed: String, stored: String?, shown: String?) {
        let seconds = WorkTime.seconds(in: typed)
        #expect(seconds.map(WorkTime.text) == stored)
        #expect(seconds.map { WorkTime.words($0) } == shown)
    }

    @Test("starting sets the time once; stopping adds the time to the sum, also to a number of seconds")
    func rule() throws {
        let rule = try #require(TaskRecord.type.work)
        let started = rule.starting([:], at: start)
        #expect(started == ["start": .string(start.description)])
        #expect(rule.starting(started, at: later).isEmpty)
        #expect(rule.stopping(started, at: later) == ["start": .null, "spent": "PT1H20M"])
        for (before, after) in [("PT10M", "PT1H30M"), (60, "PT1H21M"), ("a while", nil)] as [(JSONValue, JSONValue?)] {
            #expect(rule.stopping(started.applying(["spent": before]), at: later)["spent"] == after)
        }
        #expect(rule.stopping([:], at: later).isEmpty)
        #expect(rule.stopping(["start": .string(later.description)], at: start) == ["start": .null])
    }

    @Test("completing a started record stops it")
    func completing() throws {
        let closing = try #require(TaskRecord.type.closing)
        let done = closing.completing(["start": .string(start.description)], at: later)
        #expect(done["start"] == JSONValue.null)
        #expect(done["spent"] == "PT1H20M")
        #expect(done["status"] == "completed")
    }
}

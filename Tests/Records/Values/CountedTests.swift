import Records
import Testing

@Suite("Numbers with a noun")
struct CountedTests {
    @Test("The noun is in the singular or the plural")
    func nouns() {
        #expect([0, 1, 2].map { $0.counted("record") } == ["0 records", "1 record", "2 records"])
        #expect(Int64(1).counted("event stream") == "1 event stream")
    }
}

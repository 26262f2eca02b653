import Records
import Testing

@Suite("Times with milliseconds")
struct TimestampTextTests {
    @Test(
        "are written by RFC 3339",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (1_763_702_520_123, "2025-11-21T05:22:00.123Z"),
            (951_827_696_789, "2000-02-29T12:34:56.789Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ])
    func text(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp.text(milliseconds: milliseconds) == text)
    }
}

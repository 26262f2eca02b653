import SyncAPI
import Testing

@Suite("Limits")
struct LimitsTests {
    /// One inequality: what is stored can be sent, and what is sent can be received.
    @Test(
        "The largest record is smaller than the largest page, that than the largest answer, that than a client's limit")
    func sizes() {
        let sizes = [
            Limits.fieldsBytes, Limits.recordBytes, Limits.recordOnWire, Limits.largestPage, Limits.largestPushAnswer,
            Limits.largestAnswer,
        ]
        for (smaller, larger) in zip(sizes, sizes.dropFirst()) { #expect(smaller < larger, "\(sizes)") }
    }

    @Test("Each record that a server takes can be changed by a request of its own")
    func changes() {
        #expect(2 * Limits.recordBytes < Limits.changedBytes)
        #expect(Limits.recordOnWire < Limits.largestReceivedRecord)
    }
}

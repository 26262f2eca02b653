import Testing

@testable import PostgreSQLServerStore

@Suite struct SQLValueTests {
    private func bytes(_ value: SQLValue) -> [UInt8] {
        var bytes: [UInt8] = []
        value.write(to: &bytes)
        return bytes
    }

    @Test func scalarsAreWrittenInTheOrderOfTheNetwork() {
        #expect(bytes(.int(-2)) == [255, 255, 255, 255, 255, 255, 255, 254])
        #expect(bytes(.int(258)) == [0, 0, 0, 0, 0, 0, 1, 2])
        #expect(bytes(.bool(true)) == [1])
        #expect(bytes(.text("é\u{0}")) == [0xc3, 0xa9, 0])
        #expect(bytes(.bytes([0, 1])) == [0, 1])
        #expect(bytes(.null) == [])
    }

    @Test func anArrayHasItsDimensionTypeAndLengths() {
        let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 2, 0, 0, 0, 1]
        #expect(bytes(.texts(["a", ""])) == header + [0, 0, 0, 1, 97, 0, 0, 0, 0])
    }

    @Test func anArrayMayContainNulls() {
        let header: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1]
        #expect(bytes(.array(.int, [.null])) == header + [255, 255, 255, 255])
    }

    @Test func anEmptyArrayHasNoDimension() {
        #expect(bytes(.texts([])) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25])
    }

    @Test("The lock of a space has the key of FNV-1a, so that all versions of the server use the same")
    func spaceLock() {
        #expect(SpaceLock.key(of: "") == Int64(bitPattern: 0xcbf2_9ce4_8422_2325))
        #expect(SpaceLock.key(of: "a") == Int64(bitPattern: 0xaf63_dc4c_8601_ec8c))
    }
}

import Testing

@testable import ServerCore

@Suite struct CompressionTests {
    private let large = ServerAnswer.json([UInt8](repeating: UInt8(ascii: "x"), count: 100_000))

    private func request(_ encodings: String?) -> ServerRequest {
        ServerRequest(method: "GET", target: "/", headers: encodings.map { [("Accept-Encoding", $0)] } ?? [])
    }

    @Test(arguments: [
        ("gzip", true), ("deflate, gzip;q=0.5", true), ("br, *", true), ("GZIP", true), ("gzip;q=0", false),
        ("*, gzip; q=0.0", false), ("br", false), ("", false),
    ])
    func gzipIsUsedWhereItIsTaken(_ encodings: String, _ taken: Bool) {
        let answer = large.compressed(for: request(encodings))
        #expect((answer.header("Content-Encoding") == "gzip") == taken)
        #expect((answer.body.count < large.body.count) == taken)
        #expect(answer.header("Vary") == "Accept-Encoding")
    }

    @Test func aShortBodyStaysAsItIs() {
        let answer = ServerAnswer.json([UInt8](repeating: 0x20, count: 1_024))
        #expect(answer.compressed(for: request("gzip")).body == answer.body)
    }

    @Test func aBodyWithAnEntityTagStaysAsItIs() {
        var answer = large
        answer.headers.append(("ETag", "\"1\""))
        #expect(answer.compressed(for: request("gzip")).header("Content-Encoding") == nil)
    }

    @Test func bytesWithoutPatternAreSentAsTheyAre() {
        let bytes = ServerEnvironment.live.randomBytes(10_000)
        let answer = ServerAnswer.json(bytes).compressed(for: request("gzip"))
        #expect(answer.header("Content-Encoding") == nil)
        #expect(answer.body == bytes)
    }
}

import Backend
@testable import CurlTransport
import Testing

@Suite("The head of an answer")
struct HeadParserTests {
    private func parse(_ lines: [String]) throws(HeadParser.Malformed) -> HTTPHead? {
        var parser = HeadParser()
        var head: HTTPHead?
        for line in lines { head = try parser.receive(Array("\(line)\r\n".utf8)) ?? head }
        return head
    }

    @Test("It is complete with the empty line of the final answer")
    func complete() throws {
        #expect(try parse(["HTTP/1.1 200 OK", "A: b"]) == nil)
        #expect(try parse(["HTTP/1.1 100 Continue", ""]) == nil)
        let head = try #require(try parse(["HTTP/1.1 100 Continue", "X: y", "", "HTTP/2 404 ", "A: b:c", "", "T: u"]))
        #expect(head.status == 404)
        #expect(head.headers.map { "\($0.name)=\($0.value)" } == ["A=b:c"])
    }

    @Test("A value continued on the next line is one value")
    func continued() throws {
        #expect(try parse(["HTTP/1.1 200", "A: b", "  c", ""])?.header("a") == "b c")
    }

    @Test(
        "An invalid head is refused",
        arguments: [
            ["HTTP/1.1"], ["HTTP/1.1 abc"], ["HTTP/1.1 99"], ["A: b"], ["HTTP/1.1 200", "no colon"], [""],
        ])
    func malformed(lines: [String]) {
        #expect(throws: HeadParser.Malformed.self) { try parse(lines) }
    }
}

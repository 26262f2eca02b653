import Testing

@testable import Backend

@Suite("Reading an event stream")
struct EventStreamParserTests {
    typealias Item = EventStreamParser.Item

    private func items(_ text: String, after id: String = "") throws -> [Item] {
        var parser = EventStreamParser(lastEventID: id)
        return try parser.items(completedBy: text.utf8)
    }

    private static func message(_ data: String, type: String = "message", id: String = "") -> Item {
        .event(type: type, data: data, id: id)
    }

    @Test(
        "The standard's examples and rules",
        arguments: [
            ("data: a\n\n", [message("a")]),
            ("data: a\r\n\r\n", [message("a")]),
            ("data: a\r\r", [message("a")]),
            ("\u{FEFF}data: a\n\n", [message("a")]),
            ("\u{FEFF}\u{FEFF}data: a\n\n", []),
            // The standard's own: YHOO, one space is removed, a comment, a field without a colon.
            ("data: YHOO\ndata: +2\ndata: 10\n\n", [message("YHOO\n+2\n10")]),
            (
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                [message("first event", id: "1"), message("second event"), message(" third event")]
            ),
            ("data\n\ndata\ndata\n\ndata:", [message(""), message("\n")]),
            ("data:test\n\ndata: test\n\n", [message("test"), message("test")]),
            ("event: add\ndata: 73\n\ndata: 1\n\n", [message("73", type: "add"), message("1")]),
            ("event: add\n\ndata: 1\n\n", [message("1")]),
            ("id: 7\n\ndata: a\n\n", [message("a", id: "7")]),
            ("id: 7\ndata: a\n\nid: x\u{0}y\ndata: b\n\n", [message("a", id: "7"), message("b", id: "7")]),
            ("retry: 1500\n", [.retry(.milliseconds(1_500))]),
            ("retry: 1 s\nretry: -1\nretry:\nretry: 99999999999999\n", []),
            ("colour: red\n:\n: heartbeat\n\n", []),
            ("data: never ended", []),
            ("data: ended, but not dispatched\n", []),
            ("data: \u{1F9F3}é\n\n", [message("\u{1F9F3}é")]),
        ])
    func table(text: String, items: [Item]) throws {
        #expect(try self.items(text) == items)
    }

    @Test("The size of the pieces doesn't change the result")
    func pieces() throws {
        let text = "\u{FEFF}event: changes\r\nid: é\r\ndata: {\r\ndata: }\r\n\r\n: beat\r\rretry: 5\n\r\ndata: x\n\n"
        let whole = try items(text)
        #expect(whole.count == 3)
        for size in 1...7 {
            var parser = EventStreamParser()
            var found: [Item] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                found += try parser.items(completedBy: bytes[start..<min(start + size, bytes.count)])
            }
            #expect(found == whole, "pieces of \(size)")
        }
    }

    @Test("The last event id is kept until the stream sends another one, also over a new connection")
    func lastEventID() throws {
        #expect(try items("data: a\n\n", after: "41") == [Self.message("a", id: "41")])
    }

    @Test("The length of a line and the number of lines of an event are limited")
    func bounds() {
        var long = EventStreamParser(limit: 10)
        #expect(throws: EventStreamParser.TooLarge()) { try long.items(completedBy: "data: 67890".utf8) }
        var many = EventStreamParser(limit: 10)
        #expect(throws: EventStreamParser.TooLarge()) {
            try many.items(completedBy: "data: 123\ndata: 456\ndata: 789\n".utf8)
        }
        var enough = EventStreamParser(limit: 10)
        #expect(throws: Never.self) { try enough.items(completedBy: "data: 6789\n\ndata: 6789\n\n".utf8) }
    }

    @Test("Invalid UTF-8 is replaced, and the stream continues")
    func broken() throws {
        var parser = EventStreamParser()
        let items = try parser.items(completedBy: Array("data: ".utf8) + [0xFF] + Array("\n\ndata: b\n\n".utf8))
        #expect(items == [Self.message("\u{FFFD}"), Self.message("b")])
    }
}

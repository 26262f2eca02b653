/// A parser of `text/event-stream` by the rules of the HTML standard (WHATWG HTML, 9.2.6 "Interpreting an event
/// stream"). It receives pieces of any size and returns the items that they complete.
///
/// An event that the end of the stream interrupts is discarded, as the standard requires.
package struct EventStreamParser {
    /// An item of the stream.
    package enum Item: Equatable {
        /// An event: its type (`message` unless named), its data without the last line end, and the id from which to
        /// continue.
        case event(type: String, data: String, id: String)
        /// The time to wait before connecting again when the stream ends.
        case retry(Duration)
    }

    /// A line or an event is larger than the bound.
    package struct TooLarge: Error, Equatable {}

    /// The longest line and the most data of an event, in bytes. More ends the reading, so that a server can't fill the
    /// memory.
    let limit: Int
    private var line: [UInt8] = []
    private var isFirstLine = true
    private var followsCarriageReturn = false
    private var type = ""
    private var data = ""
    private var id: String

    /// - Parameters:
    ///   - lastEventID: The id from which the stream continues.
    ///   - limit: The longest line and the most data of an event, in bytes.
    package init(lastEventID: String = "", limit: Int = 64 << 10) {
        id = lastEventID
        self.limit = limit
    }

    /// Returns the items that these bytes complete.
    package mutating func items(completedBy bytes: some Sequence<UInt8>) throws(TooLarge) -> [Item] {
        var items: [Item] = []
        for byte in bytes {
            if let item = try receive(byte) { items.append(item) }
        }
        return items
    }

    private mutating func receive(_ byte: UInt8) throws(TooLarge) -> Item? {
        // A line ends with CR, LF or both; the LF of a pair doesn't end another line.
        let endsPair = followsCarriageReturn && byte == UInt8(ascii: "\n")
        followsCarriageReturn = byte == UInt8(ascii: "\r")
        if endsPair { return nil }
        guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
            guard line.count < limit else { throw TooLarge() }
            line.append(byte)
            return nil
        }
        defer { line.removeAll(keepingCapacity: true) }
        return try endLine()
    }

    private mutating func endLine() throws(TooLarge) -> Item? {
        // The standard ignores a byte order mark at the beginning, lines that begin with a colon (comments, such as the
        // server's heartbeat), and one space after the colon.
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        if line.isEmpty { return dispatch() }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        if colon == line.startIndex { return nil }
        let name = String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self)
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        return try receive(name, String(decoding: value, as: UTF8.self))
    }

    private mutating func receive(_ name: String, _ value: String) throws(TooLarge) -> Item? {
        switch name {
        case "event": type = value
        case "data":
            guard data.utf8.count + value.utf8.count < limit else { throw TooLarge() }
            data += value + "\n"
        // The standard ignores an id with U+0000.
        case "id": if !value.utf8.contains(0) { id = value }
        case "retry": return Self.milliseconds(value).map { .retry(.milliseconds($0)) }
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> Item? {
        // The id isn't reset: it applies to later events, too.
        defer { (type, data) = ("", "") }
        guard !data.isEmpty else { return nil }
        return .event(type: type.isEmpty ? "message" : type, data: String(data.dropLast()), id: id)
    }

    /// Parses ASCII digits; nil: there are other characters, or the number is too large.
    private static func milliseconds(_ text: String) -> Int32? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int32(text) : nil
    }
}

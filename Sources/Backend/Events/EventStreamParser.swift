/// Reads a `text/event-stream`, byte by byte as it comes, by the HTML standard's rules (WHATWG HTML, 9.2.6 "Interpreting
/// an event stream"). Pure: pieces of any size in, what they complete out.
///
/// What the stream ends in the middle of is discarded, as the standard wants it.
struct EventStreamParser {
    /// An item of the stream.
    enum Item: Equatable {
        /// An event: its type (`message` unless named), its data without the last line end, and the id to go on from.
        case event(type: String, data: String, id: String)
        /// How long to wait before connecting again when the stream ends.
        case retry(Duration)
    }

    /// A line or an event is larger than the bound.
    struct TooLarge: Error, Equatable {}

    /// In bytes: longer lines, and events with more data, end the reading.
    let limit: Int
    private var line: [UInt8] = []
    private var isFirstLine = true
    private var followsCarriageReturn = false
    private var type = ""
    private var data = ""
    private var id: String

    /// - Parameters:
    ///   - lastEventID: the id from which the stream continues.
    ///   - limit: in bytes, of a line and of an event's data.
    init(lastEventID: String = "", limit: Int = 64 << 10) {
        id = lastEventID
        self.limit = limit
    }

    /// What these bytes complete.
    mutating func items(completedBy bytes: some Sequence<UInt8>) throws(TooLarge) -> [Item] {
        var items: [Item] = []
        for byte in bytes {
            if let item = try receive(byte) { items.append(item) }
        }
        return items
    }

    private mutating func receive(_ byte: UInt8) throws(TooLarge) -> Item? {
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
        case "id": if !value.utf8.contains(0) { id = value }
        case "retry": return Self.milliseconds(value).map { .retry(.milliseconds($0)) }
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> Item? {
        defer { (type, data) = ("", "") }
        guard !data.isEmpty else { return nil }
        return .event(type: type.isEmpty ? "message" : type, data: String(data.dropLast()), id: id)
    }

    /// ASCII digits alone; what is larger than fits is no number.
    private static func milliseconds(_ text: String) -> Int32? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int32(text) : nil
    }
}

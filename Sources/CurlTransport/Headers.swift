import Backend
import CCurl

/// Puts the head of an answer together from the lines that libcurl hands over; skips interim answers (1xx) and trailers.
struct HeadParser {
    private var head: HTTPHead?
    private var size = 0
    private(set) var isComplete = false

    /// In bytes, all heads of one answer together.
    static let largest = 256 << 10

    /// Heads larger than `largest`, or no head at all.
    struct Malformed: Error {}

    /// Parses a line, with its line break; returns the head with the empty line that ends the final one.
    mutating func receive(_ line: some Collection<UInt8>) throws(Malformed) -> HTTPHead? {
        if isComplete { return nil }
        size += line.count
        guard size <= Self.largest else { throw Malformed() }
        let text = String(decoding: line, as: UTF8.self).trimmed
        guard !text.isEmpty else { return try end() }
        if text.hasPrefix("HTTP/") {
            head = HTTPHead(status: try Self.status(text))
        } else {
            try readField(text, isContinued: line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t"))
        }
        return nil
    }

    private mutating func end() throws(Malformed) -> HTTPHead? {
        guard let head else { throw Malformed() }
        isComplete = head.status >= 200
        return isComplete ? head : nil
    }

    /// `HTTP/1.1 200 OK`, `HTTP/2 200`.
    private static func status(_ line: Substring) throws(Malformed) -> Int {
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, let status = Int(parts[1]), (100...999).contains(status) else { throw Malformed() }
        return status
    }

    /// `Name: value`, or what continues the value of the line before (obsolete, RFC 9112, 5.2).
    private mutating func readField(_ line: Substring, isContinued: Bool) throws(Malformed) {
        guard head != nil else { throw Malformed() }
        if isContinued, let last = head?.headers.indices.last {
            head?.headers[last].value += " " + line
        } else if let colon = line.firstIndex(of: ":") {
            head?.headers.append((String(line[..<colon]), String(line[colon...].dropFirst().trimmed)))
        } else {
            throw Malformed()
        }
    }
}

extension StringProtocol {
    /// Without white space at either end.
    fileprivate var trimmed: SubSequence {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? start
        return self[start..<end]
    }
}

/// The headers of a request as the lines that libcurl wants.
struct HeaderList {
    let lines: [String]

    /// - Throws: `.protocolViolation` where a name is none or a line break would smuggle in another header.
    init(_ request: HTTPRequest) throws(TransportError) {
        // Don't wait for "100 Continue", and don't call a body a form.
        var lines = ["Expect:"]
        if request.header("Content-Type") == nil { lines.append("Content-Type:") }
        for (name, value) in request.headers {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken), !value.utf8.contains(where: Self.breaksLine) else {
                throw TransportError(.protocolViolation, detail: "malformed header \(name.debugDescription)")
            }
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        self.lines = lines
    }

    /// The lines as libcurl's list, which the caller frees.
    func list() throws(TransportError) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                throw TransportError(.protocolViolation, detail: "libcurl has no memory for the headers")
            }
            list = longer
        }
        return list
    }

    /// RFC 9110, 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func breaksLine(_ byte: UInt8) -> Bool { byte == 0 || byte == 10 || byte == 13 }
}

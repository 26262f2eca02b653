package import Backend
import CCurl

/// Parses the head of an answer from the lines that libcurl passes. Interim answers (1xx) and trailers are skipped.
package struct HeadParser {
    private var head: HTTPHead?
    private var size = 0
    /// Whether the final head has ended.
    package private(set) var isComplete = false

    /// The size limit in bytes for all heads of one answer together.
    static let largest = 256 << 10

    /// The head is larger than `largest`, or isn't a head.
    package struct Malformed: Error {}

    /// Creates a parser at the beginning of an answer.
    package init() {}

    /// Parses a line with its line break. Returns the head with the empty line that ends the final one.
    package mutating func receive(_ line: some Collection<UInt8>) throws(Malformed) -> HTTPHead? {
        // The lines after the head are trailers.
        if isComplete { return nil }
        size += line.count
        guard size <= Self.largest else { throw Malformed() }
        let text = String(decoding: line, as: UTF8.self).trimmed
        guard !text.isEmpty else { return try end() }
        if text.hasPrefix("HTTP/") {
            // A further status line follows an interim answer, whose fields are dropped.
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

    /// Returns the status of a line such as `HTTP/1.1 200 OK` or `HTTP/2 200`.
    private static func status(_ line: Substring) throws(Malformed) -> Int {
        let parts = line.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, let status = Int(parts[1]), (100...999).contains(status) else { throw Malformed() }
        return status
    }

    /// Parses `Name: value`, or the continuation of the previous value (obsolete line folding, RFC 9112, section 5.2).
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
    /// The text without white space at both ends.
    fileprivate var trimmed: SubSequence {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map { index(after: $0) } ?? start
        return self[start..<end]
    }
}

/// The headers of a request as lines for libcurl.
struct HeaderList {
    let lines: [String]

    /// - Throws: `.protocolViolation` if a name isn't a token or a value contains a line break (header injection).
    init(_ request: HTTPRequest) throws(TransportError) {
        // libcurl would wait for "100 Continue" with a large body, and declare a body without a type as a form.
        var lines = ["Expect:"]
        if request.header("Content-Type") == nil { lines.append("Content-Type:") }
        for (name, value) in request.headers {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken), !value.utf8.contains(where: Self.breaksLine) else {
                throw TransportError(.protocolViolation, detail: "malformed header \(name.debugDescription)")
            }
            // In libcurl's syntax, `Name:` removes a header and `Name;` sends it with an empty value.
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        self.lines = lines
    }

    /// The lines as libcurl's list, which the caller frees.
    func list() throws(TransportError) -> UnsafeMutablePointer<curl_slist>? {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = ccurl_slist_append(list, line) else {
                ccurl_slist_free_all(list)
                throw TransportError(.protocolViolation, detail: "libcurl has no memory for the headers")
            }
            list = longer
        }
        return list
    }

    /// RFC 9110, section 5.6.2.
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

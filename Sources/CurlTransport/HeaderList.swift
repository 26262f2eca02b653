import Backend
import CCurl

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

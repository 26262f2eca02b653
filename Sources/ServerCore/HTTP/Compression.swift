internal import CZlib

extension ServerAnswer {
    /// Shorter bodies gain too little.
    private static let least = 1_024

    /// The answer in gzip (RFC 1952), if the request accepts it and it saves space.
    ///
    /// A body with an entity tag stays as it is, since the tag names its very bytes (RFC 9110 section 8.8.3).
    func compressed(for request: ServerRequest) -> ServerAnswer {
        guard body.count > Self.least, header("ETag") == nil else { return self }
        var answer = self
        answer.headers.append(("Vary", "Accept-Encoding"))
        guard Self.takesGzip(request.header("Accept-Encoding") ?? ""), let bytes = Gzip.compress(body),
            bytes.count < body.count
        else { return answer }
        answer.headers.append(("Content-Encoding", "gzip"))
        answer.body = bytes
        return answer
    }

    /// Whether `Accept-Encoding` (RFC 9110 section 12.5.3) names gzip or anything, and not with a weight of 0.
    static func takesGzip(_ value: String) -> Bool {
        let choices = value.lowercased().split(separator: ",").map { choice in
            choice.split(separator: ";").map { part in String(part.filter { $0 != " " && $0 != "\t" }) }
        }
        let choice = choices.first { $0.first == "gzip" } ?? choices.first { $0.first == "*" }
        guard let choice else { return false }
        let weight = choice.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
        return weight != 0
    }
}

/// zlib at its fastest, which compresses JSON to about a fifth.
private enum Gzip {
    /// Nil if zlib refuses, for which only a lack of memory is a reason.
    static func compress(_ input: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 16 on top of the largest window asks for gzip's header and trailer.
        let opened = deflateInit2_(
            &stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard opened == Z_OK, let length = UInt32(exactly: input.count) else { return nil }
        defer { deflateEnd(&stream) }
        var input = input
        let bound = Int(deflateBound(&stream, UInt(length)))
        return input.withUnsafeMutableBufferPointer { source in
            var finished = false
            let output = [UInt8](unsafeUninitializedCapacity: bound) { target, count in
                stream.next_in = source.baseAddress
                stream.avail_in = length
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(clamping: target.count)
                finished = deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = Int(stream.total_out)
            }
            return finished ? output : nil
        }
    }
}

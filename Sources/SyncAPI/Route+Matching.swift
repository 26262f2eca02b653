extension Route {
    /// The route of a request; nil if there is none. A server matches with this.
    ///
    /// - Parameters:
    ///   - method: in upper case.
    ///   - path: percent-encoded, without the query.
    public init?(method: String, path: String) {
        // What stands for the whole API is the same without its last slash.
        guard let segments = Self.segments(of: path == "/v1" ? "/v1/" : path) else { return nil }
        for pattern in Pattern.all where pattern.method == method {
            guard let parts = pattern.parts(of: segments) else { continue }
            self = pattern.make(parts)
            return
        }
        return nil
    }

    /// The methods that work on a path, for the `Allow` header; none if the path is unknown.
    public static func methods(path: String) -> [String] {
        ["GET", "POST", "PUT", "PATCH", "DELETE"].filter { Route(method: $0, path: path) != nil }
    }

    /// What the requests of a route look like, found out from the route itself.
    private struct Pattern: Sendable {
        let make: @Sendable ([String]) -> Route
        let method: String
        let segments: [String]

        static let all = table.map(Pattern.init)

        /// Stands for each variable part. No path of the API has it as a fixed one.
        private static let variable = "{}"

        init(_ make: @escaping @Sendable ([String]) -> Route) {
            let route = make(Array(repeating: Self.variable, count: variableParts))
            self.make = make
            method = route.method
            segments = Route.segments(of: route.path) ?? []
        }

        /// The variable parts of a path; nil if it isn't one of these. There are as many as the route takes.
        func parts(of path: [String]) -> [String]? {
            guard path.count == segments.count else { return nil }
            var parts: [String] = []
            for (part, segment) in zip(path, segments) {
                if segment == Self.variable {
                    parts.append(part)
                } else if part != segment {
                    return nil
                }
            }
            return parts
        }
    }
}

extension Route {
    /// The parts of a path, decoded; nil if it has no slash at its start or a part is not percent-encoded UTF-8.
    private static func segments(of path: String) -> [String]? {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = decoded(part) else { return nil }
            segments.append(segment)
        }
        return segments
    }

    private static func decoded(_ part: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(part.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        byte < 0x80 ? Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) } : nil
    }
}

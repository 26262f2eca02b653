/// Finds the endpoint of a request.
public struct RouteTable<Routes: Endpoint>: Sendable {
    /// Creates an endpoint from the variable parts of its path, decoded, in order.
    public typealias Make = @Sendable (_ parts: [String]) -> Routes

    let makers: [Make]
    private let patterns: [Pattern]

    /// Creates a table of all endpoints of a kind, each made from the variable parts of its path. The form of their
    /// requests is found by creating each endpoint once.
    public init(_ makers: [Make]) {
        self.makers = makers
        patterns = makers.map(Pattern.init)
    }

    /// Returns the endpoint of a request; nil if there is none.
    ///
    /// - Parameters:
    ///   - method: The method in upper case.
    ///   - path: The path, percent-encoded, without the query.
    public func route(method: String, path: String) -> Routes? {
        guard let segments = Self.segments(of: path) else { return nil }
        for pattern in patterns where pattern.method == method {
            if let parts = pattern.parts(of: segments) { return pattern.make(parts) }
        }
        return nil
    }

    /// One example of each endpoint, with empty variable parts.
    public var examples: [Routes] { makers.map { $0(Array(repeating: "", count: Self.variableParts)) } }

    /// Returns the methods that work on a path, for the `Allow` header; empty if the path is unknown.
    public func methods(path: String) -> [String] {
        ["GET", "POST", "PUT", "PATCH", "DELETE"].filter { route(method: $0, path: path) != nil }
    }

    /// The form of the requests of an endpoint.
    private struct Pattern: Sendable {
        let make: Make
        let method: String
        let segments: [String]
        /// The indices of the variable segments.
        let variables: Set<Int>

        init(_ make: @escaping Make) {
            let request = make(Array(repeating: "", count: RouteTable.variableParts)).request
            self.make = make
            method = request.method
            segments = RouteTable.segments(of: request.path.text) ?? []
            variables = request.path.variables
        }

        /// Returns the variable parts of a path; nil if the path doesn't match. Empty ones follow, so that an endpoint
        /// whose path omits one of its parts gets an empty text for it.
        func parts(of path: [String]) -> [String]? {
            guard path.count == segments.count else { return nil }
            var parts: [String] = []
            for (place, (part, segment)) in zip(path, segments).enumerated() {
                if variables.contains(place) {
                    parts.append(part)
                } else if part != segment {
                    return nil
                }
            }
            // Filled up, since a maker indexes its parts: a missing one would be a runtime error.
            return parts + Array(repeating: "", count: max(0, RouteTable.variableParts - parts.count))
        }
    }

    /// The largest number of variable parts of a path.
    static var variableParts: Int { 8 }

    /// Returns the segments of a path, decoded; nil if it doesn't begin with a slash or a segment isn't percent-encoded
    /// UTF-8.
    private static func segments(of path: String) -> [String]? {
        // The path of the whole API is also accepted without its last slash.
        let path = path == "/v1" ? "/v1/" : path
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        var segments: [String] = []
        // Split before decoding: an encoded slash (%2F) is a part of its segment, and can't lead to another endpoint.
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = PercentEncoding.decoded(part) else { return nil }
            segments.append(segment)
        }
        return segments
    }
}

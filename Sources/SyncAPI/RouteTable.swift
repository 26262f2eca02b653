/// Finds the endpoint of a request.
public struct RouteTable<Routes: Endpoint>: Sendable {
    /// Makes an endpoint of the variable parts of its path, decoded, in their order.
    public typealias Make = @Sendable (_ parts: [String]) -> Routes

    let makers: [Make]
    private let patterns: [Pattern]

    /// A table of all endpoints of a kind, each made from the variable parts of its path; what they look like is found out
    /// from the endpoints themselves.
    public init(_ makers: [Make]) {
        self.makers = makers
        patterns = makers.map(Pattern.init)
    }

    /// The endpoint of a request; nil if there is none.
    ///
    /// - Parameters:
    ///   - method: in upper case.
    ///   - path: percent-encoded, without the query.
    public func route(method: String, path: String) -> Routes? {
        guard let segments = PathSegments.of(path) else { return nil }
        for pattern in patterns where pattern.method == method {
            if let parts = pattern.parts(of: segments) { return pattern.make(parts) }
        }
        return nil
    }

    /// The methods that work on a path, for the `Allow` header; none if the path is unknown.
    public func methods(path: String) -> [String] {
        ["GET", "POST", "PUT", "PATCH", "DELETE"].filter { route(method: $0, path: path) != nil }
    }

    /// What the requests of an endpoint look like.
    private struct Pattern: Sendable {
        let make: Make
        let method: String
        let segments: [String]

        init(_ make: @escaping Make) {
            let route = make(Array(repeating: PathSegments.variable, count: PathSegments.variableParts))
            self.make = make
            method = route.method
            segments = PathSegments.of(route.path) ?? []
        }

        /// The variable parts of a path; nil if it isn't one of these. Behind them stand empty ones, so that an endpoint
        /// whose path leaves one of its parts out finds nothing there instead of the end of the list.
        func parts(of path: [String]) -> [String]? {
            guard path.count == segments.count else { return nil }
            var parts: [String] = []
            for (part, segment) in zip(path, segments) {
                if segment == PathSegments.variable {
                    parts.append(part)
                } else if part != segment {
                    return nil
                }
            }
            return parts + Array(repeating: "", count: max(0, PathSegments.variableParts - parts.count))
        }
    }
}

/// The parts of paths.
enum PathSegments {
    /// Stands for each variable part. No path has it as a fixed one.
    static let variable = "{}"
    /// The most variable parts that a path may have.
    static let variableParts = 8

    /// The parts of a path, decoded; nil if it has no slash at its start or a part is not percent-encoded UTF-8.
    static func of(_ path: String) -> [String]? {
        // What stands for the whole API is the same without its last slash.
        let path = path == "/v1" ? "/v1/" : path
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

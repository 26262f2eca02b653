/// The patterns of all endpoints of an enum: builds the path of an endpoint, and finds the endpoint of a request.
public struct RouteTable<Routes: Endpoint>: Sendable {
    private let patterns: [Routes.Kind: RoutePattern<Routes>]
    private let makePattern: @Sendable (Routes.Kind) -> RoutePattern<Routes>
    /// The patterns by what is known of a request before its segments are read.
    private let candidates: [Shape: [RoutePattern<Routes>]]

    /// The method of a request and the number of its path's segments.
    private struct Shape: Hashable {
        let method: String
        let segments: Int
    }

    /// Creates a table with the pattern of each kind. Of several patterns for one path, the first matches, in the order
    /// of the kinds.
    ///
    /// Stops the program if an endpoint isn't found by its own method and path, for instance because an earlier one has
    /// the same path, or because `kindAndValues` doesn't return the values with which the endpoint was created; or if an
    /// endpoint and its path differ in the number of values.
    public init(_ pattern: @escaping @Sendable (Routes.Kind) -> RoutePattern<Routes>) {
        self.init(isChecked: true, pattern)
    }

    /// Creates a table. Tests of the check create tables without it.
    init(isChecked: Bool, _ makePattern: @escaping @Sendable (Routes.Kind) -> RoutePattern<Routes>) {
        var patterns: [Routes.Kind: RoutePattern<Routes>] = [:]
        var candidates: [Shape: [RoutePattern<Routes>]] = [:]
        for kind in Routes.Kind.allCases {
            let pattern = makePattern(kind)
            patterns[kind] = pattern
            let shape = Shape(method: pattern.method.rawValue, segments: pattern.template.segments.count)
            candidates[shape, default: []].append(pattern)
        }
        (self.patterns, self.candidates, self.makePattern) = (patterns, candidates, makePattern)
        if isChecked {
            let lost = lost
            precondition(lost.isEmpty, "\(Routes.self): \(lost) aren't found by their own method and path")
        }
    }

    /// The kinds whose endpoints aren't found by their own method and path.
    var lost: [Routes.Kind] {
        Routes.Kind.allCases.filter { kind in
            let pattern = self[kind]
            let values = pattern.template.sampleValues
            let found = route(method: pattern.method.rawValue, path: pattern.template.path(values))
            return found.map { $0.kindAndValues == (kind, values) } != true
        }
    }

    /// Returns the pattern of a kind.
    subscript(kind: Routes.Kind) -> RoutePattern<Routes> {
        // The dictionary has all kinds, unless `allCases` was written by hand.
        patterns[kind] ?? makePattern(kind)
    }

    /// Returns the endpoint of a request; nil if there is none.
    ///
    /// - Parameters:
    ///   - method: The method in upper case.
    ///   - path: The path, percent-encoded, without the query.
    public func route(method: String, path: String) -> Routes? {
        // The path of the whole API is also accepted without its last slash.
        let path = path == "/v1" ? "/v1/" : path
        let slash = UInt8(ascii: "/")
        guard path.utf8.first == slash,
            let candidates = candidates[Shape(method: method, segments: path.utf8.count { $0 == slash })]
        else { return nil }
        // Split before decoding: an encoded slash (%2F) is a part of its segment, and can't lead to another endpoint.
        let parts = path.utf8.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
            .map { Substring($0) }
        for pattern in candidates {
            if let values = pattern.template.values(parts) { return pattern.make(values) }
        }
        return nil
    }

    /// Returns the methods that work on a path, for the `Allow` header; empty if the path is unknown.
    public func methods(path: String) -> [String] {
        EndpointMethod.allCases.map(\.rawValue).filter { route(method: $0, path: path) != nil }
    }
}

extension Endpoint {
    /// Returns a description of each endpoint that no request reaches, since an endpoint of an earlier enum matches its
    /// method and path. Creates the tables of all these enums, and so checks each of them.
    package static func hiddenEndpoints(behind earlier: [any Endpoint.Type]) -> [String] {
        Kind.allCases.compactMap { kind -> String? in
            let (method, template) = (table[kind].method.rawValue, table[kind].template)
            let path = template.path(template.sampleValues)
            for other in earlier {
                guard let name = other.name(method: method, path: path) else { continue }
                return "\(method) \(template.text): \(Self.self).\(kind) is hidden by \(name)"
            }
            return nil
        }
    }

    /// Returns the enum and the kind of a request's endpoint; nil if there is none.
    fileprivate static func name(method: String, path: String) -> String? {
        table.route(method: method, path: path).map { "\(Self.self).\($0.kindAndValues.kind)" }
    }
}

/// The method and the path of an endpoint, and how the endpoint is created from the values in its path. Requests are
/// built and matched with the same pattern.
public struct RoutePattern<Routes: Endpoint>: Sendable {
    let method: EndpointMethod
    let template: PathTemplate
    let make: @Sendable (_ values: [String]) -> Routes
    /// The index of the space among the values of the path.
    private let space: Int?

    /// Creates the pattern of an endpoint with any number of values.
    ///
    /// - Parameter make: Creates the endpoint from the values of the template's parameters, decoded, in their order.
    private init(
        _ method: EndpointMethod, _ template: PathTemplate, values make: @escaping @Sendable ([String]) -> Routes
    ) {
        (self.method, self.template, self.make) = (method, template, make)
        space = template.parameters.firstIndex { $0.isSpace }
    }

    /// Creates the pattern of an endpoint without values.
    public init(_ method: EndpointMethod, _ template: PathTemplate, _ route: Routes) {
        self.init(method, template.with(0), values: { _ in route })
    }

    /// Creates the pattern of an endpoint with one value.
    public init(_ method: EndpointMethod, _ template: PathTemplate, _ make: @escaping @Sendable (String) -> Routes) {
        self.init(method, template.with(1), values: { make($0[0]) })
    }

    /// Creates the pattern of an endpoint with two values.
    public init(
        _ method: EndpointMethod, _ template: PathTemplate, _ make: @escaping @Sendable (String, String) -> Routes
    ) {
        self.init(method, template.with(2), values: { make($0[0], $0[1]) })
    }

    /// Creates the pattern of an endpoint with three values.
    public init(
        _ method: EndpointMethod, _ template: PathTemplate,
        _ make: @escaping @Sendable (String, String, String) -> Routes
    ) {
        self.init(method, template.with(3), values: { make($0[0], $0[1], $0[2]) })
    }

    /// Whether the endpoint changes a space.
    var isWriting: Bool { space != nil && method != .get }

    /// Returns the access to the space among the values; nil if there is none.
    func access(_ values: [String]) -> SpaceAccess? {
        space.map { SpaceAccess(space: values[$0], isWriting: isWriting) }
    }
}

/// The HTTP method of an endpoint, in the order of the `Allow` header.
public enum EndpointMethod: String, Sendable, CaseIterable {
    /// Reads.
    case get = "GET"
    /// Creates or acts.
    case post = "POST"
    /// Replaces.
    case put = "PUT"
    /// Changes a part.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"
}

/// A variable segment of a path.
public struct PathParameter: Sendable {
    /// The name, for the OpenAPI document.
    let name: String
    let schema: BodySchema
    /// Whether it is the space that the request reads or changes.
    private(set) var isSpace = false

    /// Creates a parameter with a name and a form for the OpenAPI document. The server doesn't check the form.
    public init(_ name: String, _ schema: BodySchema = .string) { (self.name, self.schema) = (name, schema) }

    /// The id of the space that the request reads or changes. For an endpoint that needs a token, the server checks
    /// that the caller is a member of the space and, unless the method is GET, that the caller's role permits changes.
    public static let space = {
        var space = PathParameter("space")
        space.isSpace = true
        return space
    }()
    /// The name of a collection.
    public static let collection = PathParameter("collection", .collection)
    /// The id of a record.
    public static let id = PathParameter("id", .identifier)
}

/// A path with parameters, written as a text with interpolations: `"/v1/spaces/\(.space)/count"`.
///
/// It begins with a slash. A parameter is a whole segment. All other segments consist of characters that need no
/// encoding: letters, digits, `-`, `.`, `_` and `~`.
public struct PathTemplate: Sendable, ExpressibleByStringInterpolation {
    /// The path with the names of the parameters in braces, as in an OpenAPI document.
    let text: String
    /// The parameters, in their order.
    let parameters: [PathParameter]
    let segments: [Segment]

    enum Segment: Sendable {
        case fixed(String)
        case parameter
    }

    private init(_ text: String, _ parameters: [PathParameter]) {
        precondition(text.hasPrefix("/"), "\(text): a path begins with a slash")
        (self.text, self.parameters) = (text, parameters)
        let names = parameters.map(\.placeholder)
        segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
            let part = String(segment)
            if names.contains(part) { return .parameter }
            precondition(PercentEncoding.encoded(part) == part, "\(text): “\(part)” has characters to encode")
            return .fixed(part)
        }
    }

    /// Creates a path without parameters.
    public init(stringLiteral text: String) { self.init(text, []) }

    /// Creates a path with parameters.
    public init(stringInterpolation parts: StringInterpolation) { self.init(parts.text, parts.parameters) }

    /// Collects the parts of a path.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var parameters: [PathParameter] = []

        /// Creates an empty path.
        public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        /// Adds fixed text.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// Adds a parameter.
        public mutating func appendInterpolation(_ parameter: PathParameter) {
            text += parameter.placeholder
            parameters.append(parameter)
        }
    }

    /// Returns the template, which must have a certain number of parameters.
    fileprivate func with(_ count: Int) -> Self {
        // A fault of the program, and not of a request: the creation of the routes finds it.
        precondition(
            parameters.count == count, "\(text): the endpoint has \(count) values, the path \(parameters.count)")
        return self
    }

    /// A value for each parameter, for checks. They are distinct, so that two in the wrong order are noticed.
    var sampleValues: [String] { parameters.indices.map { "value \($0)" } }

    /// Returns the path with values in place of the parameters, percent-encoded, so that an id such as `a/b` or `a?b`
    /// can't change the path.
    func path(_ values: [String]) -> String {
        var rest = values[...]
        var path = ""
        for segment in segments {
            path += "/"
            switch segment {
            case .fixed(let text): path += text
            case .parameter: path += PercentEncoding.encoded(rest.popFirst() ?? "")
            }
        }
        return path
    }

    /// Returns the values of the parameters, decoded; nil if the path doesn't match.
    ///
    /// - Parameter parts: The segments of a path, percent-encoded, as many as the template has.
    func values(_ parts: [Substring]) -> [String]? {
        var values: [String] = []
        for (segment, part) in zip(segments, parts) {
            // Fixed segments are decoded, too: a path is the same if characters that need no encoding are encoded (RFC 3986,
            // section 6.2.2.2).
            guard let part = PercentEncoding.decoded(part) else { return nil }
            switch segment {
            case .fixed(let text): if text != part { return nil }
            case .parameter: values.append(part)
            }
        }
        return values
    }
}

extension PathParameter {
    fileprivate var placeholder: String { "{\(name)}" }
}

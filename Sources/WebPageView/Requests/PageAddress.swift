internal import Foundation

/// An address of the page: a screen, with or without a query. Without a query it is the screen that all sessions of the
/// process share; with a query, a reading of one browser.
public struct PageAddress: Hashable, Sendable {
    /// The screen's name.
    public let screen: String
    /// The parameters in percent-encoding.
    let query: String

    /// Creates the address of a screen.
    public init(screen: String, _ query: Parameters = Parameters()) {
        self.screen = screen
        self.query = query.encoded
    }

    /// Parses the address in a form; nil unless it is a path of the page. This excludes `//elsewhere`, to which the
    /// answer would redirect (open redirect).
    package init?(_ text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.hasPrefix("/") else { return nil }
        let screen = path.dropFirst()
        guard !screen.isEmpty, screen.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }),
            let query = Parameters(encoded: parts.count > 1 ? String(parts[1]) : "")
        else { return nil }
        self.init(screen: String(screen), query)
    }

    /// The parameters of the query.
    public var parameters: Parameters { Parameters(encoded: query) ?? Parameters() }

    /// The path and query for a link.
    public var text: String { query.isEmpty ? "/" + screen : "/\(screen)?\(query)" }
}

/// Names and values of a form or an address (application/x-www-form-urlencoded), in order. A name may occur several
/// times.
public struct Parameters: Equatable, Sendable {
    /// The names with their values.
    public private(set) var pairs: [Pair] = []

    /// A name and its value.
    public struct Pair: Equatable, Sendable {
        /// The name.
        public let name: String
        /// Its value.
        public let value: String
    }

    /// Creates parameters.
    public init(_ pairs: [(String, String)] = []) { self.pairs = pairs.map { Pair(name: $0.0, value: $0.1) } }

    /// Parses the encoded form; nil if it is malformed.
    public init?(encoded: String) {
        if encoded.isEmpty { return }
        // In forms, `+` is a space; `URLComponents` follows RFC 3986 and keeps it.
        let spaced = encoded.replacing("+", with: "%20")
        guard let components = URLComponents(string: "?" + spaced, encodingInvalidCharacters: false),
            let items = components.queryItems
        else { return nil }
        pairs = items.map { Pair(name: $0.name, value: $0.value ?? "") }
    }

    /// Returns the first value of a name.
    public subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// Returns all values of a name.
    public subscript(all name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// Returns the parameters without a name.
    public func without(_ name: String) -> Parameters {
        var rest = self
        rest.pairs.removeAll { $0.name == name }
        return rest
    }

    /// The encoded form.
    public var encoded: String {
        pairs.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
    }

    /// Percent-encodes all characters that aren't unreserved (RFC 3986, section 2.3).
    private static func encode(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}

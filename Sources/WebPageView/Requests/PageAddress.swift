internal import Foundation

/// An address within the page: a screen, and what of it is asked for. Without a query it is the screen as all sessions of the
/// process have it; with one, a reading of this browser's own.
public struct PageAddress: Hashable, Sendable {
    /// The screen's name.
    public let screen: String
    /// Encoded.
    let query: String

    /// An address of a screen.
    public init(screen: String, _ query: Parameters = Parameters()) {
        self.screen = screen
        self.query = query.encoded
    }

    /// Reads the address that a form brings back; nil for anything but a path of the page, as `//elsewhere`.
    init?(_ text: String) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.hasPrefix("/") else { return nil }
        let screen = path.dropFirst()
        guard !screen.isEmpty, screen.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }),
            let query = Parameters(encoded: parts.count > 1 ? String(parts[1]) : "")
        else { return nil }
        self.init(screen: String(screen), query)
    }

    /// What is asked for.
    public var parameters: Parameters { Parameters(encoded: query) ?? Parameters() }

    /// As a link has it.
    public var text: String { query.isEmpty ? "/" + screen : "/\(screen)?\(query)" }
}

/// Names and values as a form or an address carries them (application/x-www-form-urlencoded), in order; a name may be
/// there several times.
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

    /// Names and values.
    public init(_ pairs: [(String, String)] = []) { self.pairs = pairs.map { Pair(name: $0.0, value: $0.1) } }

    /// Reads the encoded form; nil if it isn't that.
    public init?(encoded: String) {
        if encoded.isEmpty { return }
        let spaced = encoded.replacing("+", with: "%20")
        guard let components = URLComponents(string: "?" + spaced, encodingInvalidCharacters: false),
            let items = components.queryItems
        else { return nil }
        pairs = items.map { Pair(name: $0.name, value: $0.value ?? "") }
    }

    /// The first value of a name.
    public subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

    /// All values of a name.
    public subscript(all name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// The same without a name.
    public func without(_ name: String) -> Parameters {
        var rest = self
        rest.pairs.removeAll { $0.name == name }
        return rest
    }

    /// The encoded form.
    public var encoded: String {
        pairs.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
    }

    /// RFC 3986, section 2.3: all but unreserved characters is encoded.
    private static func encode(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}

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

/// What a request demands of the record as it is (RFC 9110 section 13.1).
struct Precondition: Sendable, Equatable {
    private let ifMatch: [ETag]?
    private let ifNoneMatch: [ETag]?

    /// An entity tag: a record's version in quotes.
    private enum ETag: Sendable, Equatable {
        case any
        case version(String, weak: Bool)

        init(_ text: Substring) {
            let isWeak = text.hasPrefix("W/")
            self = text == "*" ? .any : .version(String(isWeak ? text.dropFirst(2) : text), weak: isWeak)
        }
    }

    /// Reads the values of `If-Match` and `If-None-Match`.
    init(ifMatch: String?, ifNoneMatch: String?) {
        self.ifMatch = ifMatch.map(Self.tags)
        self.ifNoneMatch = ifNoneMatch.map(Self.tags)
    }

    /// Whether the request demands nothing.
    var isEmpty: Bool { ifMatch == nil && ifNoneMatch == nil }

    /// Whether a write may go on top of a record of this version; nil: there is none. Compares strongly for
    /// `If-Match`.
    func holds(for version: Int64?) -> Bool {
        if let ifMatch {
            guard let version else { return false }
            guard ifMatch.contains(.any) || ifMatch.contains(.version(Self.tag(version), weak: false)) else {
                return false
            }
        }
        return !isNotModified(version)
    }

    /// Whether a reader has this version already. Compares weakly.
    func isNotModified(_ version: Int64?) -> Bool {
        guard let ifNoneMatch, let version else { return false }
        let tag = Self.tag(version)
        return ifNoneMatch.contains {
            $0 == .any || $0 == .version(tag, weak: false) || $0 == .version(tag, weak: true)
        }
    }

    /// The entity tag of a version.
    static func tag(_ version: Int64) -> String { "\"\(version)\"" }

    private static func tags(_ text: String) -> [ETag] {
        text.split(separator: ",").map { part in ETag(part.drop { $0 == " " }.prefix { $0 != " " }) }
    }
}

internal import SyncAPI

/// What a request demands of the record as it is (RFC 9110 section 13.1).
struct Precondition: Sendable, Equatable {
    private let ifMatch: [ETag]?
    private let ifNoneMatch: [ETag]?

    /// An entity tag: a record's version in quotes.
    private enum ETag: Sendable, Equatable {
        case any
        case version(String, weak: Bool)
    }

    /// Parses the values of `If-Match` and `If-None-Match`; nil if the request has no such header.
    ///
    /// - Throws: `Problem` 400 for a value that is neither `*` nor a list of entity tags. Ignoring it would make a
    ///   conditional write unconditional.
    init(ifMatch: String?, ifNoneMatch: String?) throws(Problem) {
        self.ifMatch = try ifMatch.map { text throws(Problem) in try Self.tags(text, of: "If-Match") }
        self.ifNoneMatch = try ifNoneMatch.map { text throws(Problem) in try Self.tags(text, of: "If-None-Match") }
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
}

extension Precondition {
    private static func tags(_ text: String, of header: String) throws(Problem) -> [ETag] {
        if text.filter({ !isBlank($0) }) == "*" { return [.any] }
        var tags: [ETag] = []
        var rest = Substring(text)
        // Empty elements of a list are ignored (RFC 9110 section 5.6.1.2).
        while let first = rest.drop(while: isBlank).first {
            rest = rest.drop(while: isBlank)
            if first != "," {
                guard let tag = readTag(of: &rest), rest.drop(while: isBlank).first ?? "," == "," else {
                    throw .badPrecondition(header)
                }
                tags.append(tag)
            }
            rest = rest.drop(while: isBlank).dropFirst()
        }
        if tags.isEmpty { throw .badPrecondition(header) }
        return tags
    }

    /// Parses an entity tag, `[W/]"…"` (RFC 9110 section 8.8.3); nil if the text does not begin with one.
    private static func readTag(of rest: inout Substring) -> ETag? {
        let isWeak = rest.hasPrefix("W/")
        let quoted = isWeak ? rest.dropFirst(2) : rest
        guard quoted.first == "\"", let end = quoted.dropFirst().firstIndex(of: "\"") else { return nil }
        let tag = quoted[...end]
        let isClean = tag.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
        guard isClean else { return nil }
        rest = quoted[end...].dropFirst()
        return .version(String(tag), weak: isWeak)
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}

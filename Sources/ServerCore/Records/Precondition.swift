package import SyncAPI

/// The conditions of a request on the present record (RFC 9110 section 13.1).
package struct Precondition: Sendable, Equatable {
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
    package init(ifMatch: String?, ifNoneMatch: String?) throws(Problem) {
        self.ifMatch = try ifMatch.map { text throws(Problem) in try Self.tags(text, of: "If-Match") }
        self.ifNoneMatch = try ifNoneMatch.map { text throws(Problem) in try Self.tags(text, of: "If-None-Match") }
    }

    /// Whether the request has no condition.
    package var isEmpty: Bool { ifMatch == nil && ifNoneMatch == nil }

    /// Returns whether a write may replace a record of this version; nil if there is no record. The comparison of
    /// `If-Match` is strong (RFC 9110 section 13.1.1).
    package func holds(for version: Int64?) -> Bool {
        if let ifMatch {
            guard let version else { return false }
            guard ifMatch.contains(.any) || ifMatch.contains(.version(Self.tag(version), weak: false)) else {
                return false
            }
        }
        return !isNotModified(version)
    }

    /// Returns whether a reader has this version already. The comparison is weak (RFC 9110 section 13.1.2).
    package func isNotModified(_ version: Int64?) -> Bool {
        guard let ifNoneMatch, let version else { return false }
        let tag = Self.tag(version)
        return ifNoneMatch.contains {
            $0 == .any || $0 == .version(tag, weak: false) || $0 == .version(tag, weak: true)
        }
    }

    /// Returns the entity tag of a version.
    static func tag(_ version: Int64) -> String { "\"\(version)\"" }
}

extension Precondition {
    private static func tags(_ text: String, of header: String) throws(Problem) -> [ETag] {
        // `*` is allowed only alone, not in a list.
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
        // An entity tag has no control characters and no spaces (RFC 9110 section 8.8.3).
        let isClean = tag.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
        guard isClean else { return nil }
        rest = quoted[end...].dropFirst()
        return .version(String(tag), weak: isWeak)
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}

extension Route {
    /// The route of a request; nil if there is none. A server matches with this.
    ///
    /// - Parameters:
    ///   - method: in upper case.
    ///   - path: percent-encoded, without the query.
    public init?(method: String, path: String) {
        guard let segments = Self.segments(of: path) else { return nil }
        let match: Route? =
            switch method {
            case "GET": Self.read(segments)
            case "POST": Self.post(segments)
            case "PUT": Self.put(segments)
            case "PATCH": Self.patch(segments)
            case "DELETE": Self.delete(segments)
            default: nil
            }
        guard let match else { return nil }
        self = match
    }

    /// The methods that work on a path, for the `Allow` header; none if the path is unknown.
    public static func methods(path: String) -> [String] {
        ["GET", "POST", "PUT", "PATCH", "DELETE"].filter { Route(method: $0, path: path) != nil }
    }

    private static func read(_ segments: [String]) -> Route? {
        switch (segments.count, segments.first) {
        case (1, "healthz"): return .health
        case (1, "readyz"): return .readiness
        case (1, "v1"): return .capabilities
        case (2, "v1"):
            switch segments[1] {
            case "": return .capabilities
            case "account": return .account
            case "devices": return .devices
            case "spaces": return .spaces
            default: return nil
            }
        default: break
        }
        if let space = changes(segments) { return .pullChanges(space: space) }
        if let record = record(segments) {
            return .readRecord(space: record.space, collection: record.collection, id: record.id)
        }
        guard segments.count == 5, segments[0...1] == ["v1", "spaces"], segments[3] == "records" else { return nil }
        return .records(space: segments[2], collection: segments[4])
    }

    private static func post(_ segments: [String]) -> Route? {
        switch segments {
        case ["v1", "accounts"]: .register
        case ["v1", "sessions"]: .logIn
        case ["v1", "sessions", "refresh"]: .refresh
        case ["v1", "account", "deletion"]: .deleteAccount
        default: changes(segments).map { .pushChanges(space: $0) }
        }
    }

    private static func put(_ segments: [String]) -> Route? {
        if segments == ["v1", "account", "password"] { return .changePassword }
        return record(segments).map { .replaceRecord(space: $0.space, collection: $0.collection, id: $0.id) }
    }

    private static func patch(_ segments: [String]) -> Route? {
        record(segments).map { .patchRecord(space: $0.space, collection: $0.collection, id: $0.id) }
    }

    private static func delete(_ segments: [String]) -> Route? {
        if segments == ["v1", "sessions", "current"] { return .logOut }
        if segments.count == 3, segments[0...1] == ["v1", "devices"] { return .revokeDevice(id: segments[2]) }
        return record(segments).map { .deleteRecord(space: $0.space, collection: $0.collection, id: $0.id) }
    }

    private static func changes(_ segments: [String]) -> String? {
        guard segments.count == 4, segments[0...1] == ["v1", "spaces"], segments[3] == "changes" else { return nil }
        return segments[2]
    }

    private static func record(_ segments: [String]) -> (space: String, collection: String, id: String)? {
        guard segments.count == 6, segments[0...1] == ["v1", "spaces"], segments[3] == "records" else { return nil }
        return (segments[2], segments[4], segments[5])
    }
}

extension Route {
    /// The parts of a path, decoded; nil if it has no slash at its start or a part is not percent-encoded UTF-8.
    private static func segments(of path: String) -> [String]? {
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

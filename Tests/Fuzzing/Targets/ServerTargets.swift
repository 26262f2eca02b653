internal import Records
internal import ServerCore
internal import SyncAPI

// What a server reads besides bodies.
extension FuzzTarget {
    static let server = [
        FuzzTarget(text: "cursor") { text in
            guard let cursor = Cursor(text) else { return }
            try expect(cursor.text == text, "the cursor is written as \(cursor.text)")
            try expect(0 <= cursor.position && cursor.position <= cursor.horizon, "the positions are out of order")
            try expect(RecordKey.isIdentifier(cursor.epoch), "the epoch isn't an id")
        },
        FuzzTarget(bytes: "precondition") { input in
            let texts = parts(input, 2)
            for (match, noneMatch) in [(texts[0], nil), (nil, texts[1]), (texts[0], texts[1])] {
                let precondition: Precondition
                do throws(Problem) { precondition = try Precondition(ifMatch: match, ifNoneMatch: noneMatch) } catch {
                    try expect(error.status == 400, "a wrong precondition is answered with \(error.status)")
                    continue
                }
                try expect(!precondition.isEmpty, "a precondition counts as none")
                for version in [nil, 0, 7, Int64.max] {
                    let isRefused = precondition.isNotModified(version)
                    try expect(!isRefused || !precondition.holds(for: version), "a read version may be replaced")
                    try expect(match == nil || version != nil || !precondition.holds(for: nil), "nothing matches")
                }
            }
        },
        FuzzTarget(bytes: "request") { input in
            // The first line is the method and the target, the others are headers.
            let lines = String(decoding: input, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            let start = lines[0].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let (method, target) = (start[0], start.count > 1 ? start[1] : "/")
            let headers = lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                return (name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
            }
            let request = ServerRequest(method: method, target: target, headers: headers, address: "127.0.0.1")
            try checkRoute(OpenRoute.self, request)
            try checkRoute(AuthenticatedRoute.self, request)
            for name in ["limit", "since", "collections", "after"] { _ = request.query(name) }
            _ = request.client(behind: [])
            if let proxy = IPAddress("127.0.0.1") {
                try expect(request.client(behind: [proxy]) != proxy, "a trusted proxy is its own client")
            }
            _ = ServerAnswer.acceptsGzip(request.header("Accept-Encoding") ?? "")
        },
    ]

    private static func checkRoute<Routes: Endpoint>(_ type: Routes.Type, _ request: ServerRequest) throws {
        let path = String(decoding: request.target.utf8.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        guard let route = Routes.table.route(method: request.method, path: path) else { return }
        try expect(route.method == request.method, "the route has another method")
        let again = try unwrap(
            Routes.table.route(method: route.method, path: route.path), "\(route.path) leads nowhere")
        try expect(again.path == route.path, "\(route.path) leads to \(again.path)")
        try expect(again.kindAndValues.values == route.kindAndValues.values, "the path has other values")
        try expect(Routes.table.methods(path: path).contains(route.method), "Allow lacks \(route.method)")
    }
}

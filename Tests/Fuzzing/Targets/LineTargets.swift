internal import Backend
internal import CurlTransport
internal import Foundation
internal import LocalStore
internal import PostgreSQLServerStore
internal import ServerCore

// Lines of other programs: of an HTTP server, of a credential helper, and of another server's process.
extension FuzzTarget {
    static let lines = [
        FuzzTarget(bytes: "head") { input in
            var parser = HeadParser()
            var fields = 0
            // As libcurl passes them: each line with its line break.
            for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
                let wasComplete = parser.isComplete
                let found: HTTPHead?
                do throws(HeadParser.Malformed) { found = try parser.receive(line + [UInt8(ascii: "\n")]) } catch {
                    return
                }
                fields += 1
                guard let head = found else { continue }
                try expect(!wasComplete && parser.isComplete, "a second head")
                try expect((200...999).contains(head.status), "the status \(head.status)")
                try expect(head.headers.count < fields, "more headers than lines")
                for (name, value) in head.headers {
                    let isOneLine = !(name + value).utf8.contains(UInt8(ascii: "\n"))
                    try expect(isOneLine, "a header has several lines")
                }
                if let wait = head.retryAfter(now: Date(timeIntervalSince1970: 0)) {
                    try expect(wait >= .zero && wait <= HTTPHead.longestRetryAfter, "a wait of \(wait)")
                }
            }
        },
        FuzzTarget(text: "credential") { text in
            guard let tokens = try answered(text) else { return }
            // Tokens with a line break are never stored.
            let line = try CredentialCommand.line(of: tokens)
            guard !line.contains(where: \.isNewline) else { return }
            let again = try mustParse(line) { try CredentialCommand.tokens(inAnswer: "username=ada\n\(line)\n") }
            try expect(again == tokens, "tokens are read as others: \(line)")
        },
        FuzzTarget(text: "news") { text in
            let news = NewsText.news(of: text)
            let texts = NewsText.texts(of: news)
            try expect(texts.flatMap(NewsText.news) == news, "news are read as others: \(texts)")
            let longest = max(NewsText.bytes, text.utf8.count)
            try expect(texts.allSatisfy { $0.utf8.count <= longest }, "a text is too long for PostgreSQL")
            try expect(news.count <= text.utf8.count, "more news than bytes")
        },
    ]

    /// Returns the tokens in an answer; nil: there are none, or it is refused with the declared error.
    private static func answered(_ answer: String) throws -> Tokens? {
        do { return try CredentialCommand.tokens(inAnswer: answer) } catch is DecodingError { return nil }
    }
}

import JSONLinesView
import LineView
import Terminal

extension Medium {
    /// For programs: a JSON object a line.
    static let json = Medium(
        name: "json", purpose: "a JSON object a line, for programs", takesCommand: false,
        isSession: { _, _ in true },
        converse: { conversation in
            let terminal = conversation.terminal
            let session = JSONLinesSession(
                conversation.catalog, version: Version.number, news: conversation.news,
                write: { try await terminal.write($0 + "\n", to: .data) })
            try await session.run(terminal.chunks)
            return .ok
        }, besideLine: { OtherMedium("json") { JSONLinesViews(write: $0) } })
}

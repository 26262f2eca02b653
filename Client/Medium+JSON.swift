import JSONLinesView
import LineView

extension Medium {
    /// For programs: a JSON object a line.
    static let json = Medium(
        name: "json", purpose: "a JSON object a line, for programs", takesCommand: false,
        isSession: { _, _ in true },
        converse: { conversation in
            let terminal = conversation.terminal
            let session = JSONLinesSession(conversation.catalog, version: Version.number) { line in
                try await terminal.write(line + "\n", to: .data)
            }
            try await session.run(terminal.chunks)
            return .ok
        }, besideLine: { OtherMedium("json") { JSONLinesViews(write: $0) } })
}

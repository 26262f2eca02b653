import LineView
import SatchelScreens

extension Medium {
    /// For people and scripts: a command, or commands as lines.
    static let line = Medium(
        name: "line", purpose: "for people and scripts", takesCommand: true,
        isSession: { words, isInteractive in words.isEmpty && isInteractive },
        converse: { conversation in
            let media = Medium.all.compactMap { $0.besideLine?() }
            let companions = try Medium.all.compactMap { try $0.companion?(conversation) }
            let session = LineSession(
                conversation.catalog, terminal: conversation.terminal,
                book: HelpBook.standard(conversation.catalog), media: media, companions: companions,
                sharing: conversation.shared, status: .sync, completions: conversation.completions,
                news: conversation.news)
            defer { session.end() }
            let words = conversation.words
            let status = words.isEmpty ? await session.run(prompt: "satchel> ") : await session.say(words)
            for companion in companions { await companion.end() }
            return status
        }, besideLine: nil)
}

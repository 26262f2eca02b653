import LineView

extension Medium {
    /// For people and scripts: a command, or commands as lines.
    static let line = Medium(
        name: "line", purpose: "for people and scripts", takesCommand: true,
        isSession: { words, isInteractive in words.isEmpty && isInteractive },
        converse: { conversation in
            let media = Medium.all.compactMap { $0.besideLine?() }
            let companions = try Medium.all.compactMap { try $0.companion?(conversation) }
            let session = LineSession(
                conversation.catalog, terminal: conversation.terminal, polish: LinePolish.standard, media: media,
                companions: companions, sharing: conversation.shared, offers: conversation.offers,
                news: conversation.news)
            defer { session.end() }
            let words = conversation.words
            let status = words.isEmpty ? await session.run(prompt: "satchel> ") : await session.say(words)
            for companion in companions { await companion.end() }
            return status
        }, besideLine: nil)
}

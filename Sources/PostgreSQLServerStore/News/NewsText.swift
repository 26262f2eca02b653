package import ServerCore

/// The text of a notification: a line for each piece of news.
package enum NewsText {
    /// PostgreSQL accepts less than 8,000 bytes.
    package static let bytes = 7_900

    /// Returns the texts for news, none longer than `bytes`.
    package static func texts(of news: [StoreNews]) -> [String] {
        var texts: [String] = []
        for line in news.map(line) {
            if let last = texts.last, last.utf8.count + 1 + line.utf8.count <= bytes {
                texts[texts.count - 1] = last + "\n" + line
            } else {
                texts.append(line)
            }
        }
        return texts
    }

    private static func line(_ news: StoreNews) -> String {
        switch news {
        case .changed(let space, let version): "changed \(space) \(version)"
        case .recheck(let account): "recheck \(account)"
        case .anything: "anything"
        }
    }

    /// Parses a text. A line of a later version of the server may mean anything.
    package static func news(of text: String) -> [StoreNews] {
        // By scalars: a carriage return before a line feed is a part of the line.
        text.unicodeScalars.split(separator: "\n").map { line in
            let words = line.split(separator: " ").map { String($0) }
            switch (words.first, words.count) {
            case ("changed", 3): return Int64(words[2]).map { .changed(space: words[1], version: $0) } ?? .anything
            case ("recheck", 2): return .recheck(account: words[1])
            default: return .anything
            }
        }
    }
}

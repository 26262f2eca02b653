/// Lays out completions: names in columns, or records with their titles. The result fits the screen.
enum ChoiceLines {
    private static let gap = 2

    static func lines(of choices: [LineCompletion.Choice], columns: Int, rows: Int) -> [String] {
        let hasNotes = choices.contains { !$0.note.isEmpty }
        return hasNotes ? table(choices, columns, rows) : grid(choices.map { $0.text.sanitizedLine }, columns, rows)
    }

    private static func table(_ choices: [LineCompletion.Choice], _ columns: Int, _ rows: Int) -> [String] {
        let shown = shortened(choices, to: rows)
        let table = Table(
            [.init(""), .init("", canShrink: true)], shown.map { .cells([.init($0.text), .init($0.note)]) })
        return table.lines(on: LinePage(columns: columns)) + rest(choices.count - shown.count)
    }

    /// Returns names in columns, which are read downwards.
    private static func grid(_ texts: [String], _ columns: Int, _ rows: Int) -> [String] {
        let width = min((texts.map(\.displayWidth).max() ?? 0) + gap, max(columns, 1))
        let across = max(columns / max(width, 1), 1)
        let shown = shortened(texts, to: rows * across)
        let height = (shown.count + across - 1) / across
        let lines = (0..<height).map { row in
            stride(from: row, to: shown.count, by: height).map { index in
                let text = shown[index].truncated(toWidth: max(width - gap, 1))
                let isLast = index + height >= shown.count
                return text + String(repeating: " ", count: isLast ? 0 : width - text.displayWidth)
            }.joined()
        }
        return lines + rest(texts.count - shown.count)
    }

    /// Returns the items that fit. If some are omitted, one line is left free for their number.
    private static func shortened<Item>(_ items: [Item], to room: Int) -> [Item] {
        items.count <= room ? items : Array(items.prefix(max(room - 1, 1)))
    }

    private static func rest(_ count: Int) -> [String] { count > 0 ? ["… and \(count) more"] : [] }
}

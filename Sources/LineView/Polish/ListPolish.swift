import ControllerKit
import Controllers
import Foundation

extension LinePolish {
    /// Tasks and notes in a table that fits the page.
    static let list = LinePolish(ListScreen.self) { state, page in
        let rows = state.rows.map(row)
        let table = rows.isEmpty ? [] : Table(columns, rows).lines(on: page)
        return table + [page.text(summary(of: state), .faint)]
    }

    private static let columns: [Table.Column] = [
        .init("#", isTrailing: true), .init("id"), .init(""), .init("due"), .init("pri"),
        .init("project", canShrink: true), .init("title", canShrink: true), .init("tags", canShrink: true),
        .init("unsent"),
    ]

    private static func row(_ row: ListScreen.State.Row) -> Table.Row {
        let isDone = row.status == "completed"
        let emphasis: Emphasis = isDone ? .faint : row.priority == "H" ? .strong : .none
        return .cells([
            .init(String(row.number)), .init(row.prefix, .faint), .init(mark(row), isDone ? .good : .none),
            .init(row.due.map { LocalTime.short($0) } ?? "", row.isOverdue ? .bad : .none), .init(row.priority ?? ""),
            .init(row.project ?? "", .faint), .init(row.title + (row.hasMore ? " …" : ""), emphasis),
            .init(row.tags.map { "+" + $0 }.joined(separator: " "), .faint), .init(row.isUnsent ? "*" : "", .warning),
        ])
    }

    /// Readable without colour: what is done, what is late, what is a note.
    private static func mark(_ row: ListScreen.State.Row) -> String {
        switch row.status {
        case nil: "note"
        case "completed": "done"
        case "pending": row.isOverdue ? "late" : ""
        case let other?: other
        }
    }

    private static func summary(of state: ListScreen.State) -> String {
        if state.total == 0 { return "Nothing fits. `list all` shows everything, `add` makes a task." }
        let shown = state.rows.count
        if shown == state.total { return shown == 1 ? "1 record." : "\(shown) records." }
        return "\(shown) of \(state.total) records; --limit and --offset show others."
    }
}

/// Moments as people read them: in their own time zone.
enum LocalTime {
    /// `2026-11-21`, with the time where it isn't midnight; the text itself if it is no RFC 3339.
    static func short(_ text: String, in calendar: Calendar = .current) -> String {
        guard let date = try? Date(text, strategy: .iso8601) else { return text }
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        guard let year = parts.year, let month = parts.month, let day = parts.day, let hour = parts.hour,
            let minute = parts.minute
        else { return text }
        let dayText = "\(padded(year, 4))-\(padded(month))-\(padded(day))"
        return hour == 0 && minute == 0 ? dayText : dayText + " \(padded(hour)):\(padded(minute))"
    }

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

import ControllerKit
import Controllers
import LineView
import Records
import Terminal
import WebPageView

enum AgendaLines {
    /// The width of a month, in columns, and the gap between two of them.
    private static let monthWidth = 27
    private static let gap = 2

    /// Shows the months with marks, then the records by day. `*` marks a day with records, so that it is readable
    /// without colours; today is in brackets.
    ///
    /// - Parameter deadline: The name of the field with the dates.
    static func renderer(_ deadline: String) -> LineRenderer<AgendaScreen> {
        LineRenderer(AgendaScreen.self, plain: { table($0).answer }, table: table) { state, page in
            let rest = EmptyMessage(state, deadline: deadline)?.text ?? Self.rest(of: state)
            return ActiveContext.lines(state.context, on: page) + months(of: state, on: page)
                + Table(columns, rows(of: state)).lines(on: page) + page.lines(rest, .faint)
        }
    }

    private static let columns: [Table.Column] = [
        .init("", isTrailing: true), .init(""), .init(""), .init("", canShrink: true, isMain: true),
        .init("", canShrink: true),
    ]

    private static func rows(of state: AgendaScreen.State) -> [Table.Row] {
        state.sections.flatMap { section in
            let emphasis: Emphasis = section.isOverdue ? .bad : section.isToday ? .warning : .strong
            let heading = Table.Row.heading("\(section.title) (\(section.items.count))", emphasis)
            return [heading] + section.items.map { row(of: $0, in: section) }
        }
    }

    private static func row(of item: AgendaScreen.State.Item, in section: AgendaSection) -> Table.Row {
        .cells([
            .init(item.number.map { String($0) } ?? ""), .init(item.prefix, .faint),
            .init(section.isOverdue ? item.words : item.time, item.isOverdue ? .bad : .none), .init(item.title),
            .init(item.labels.joined(separator: " "), .faint),
        ])
    }

    /// Returns how many records of the span aren't shown, without a full stop; nil: all are.
    static func hiddenNote(_ state: AgendaScreen.State) -> String? {
        switch state.hidden {
        case ...0: nil
        case 1: "1 more record on these days isn't shown"
        default: "\(state.hidden) more records on these days aren't shown"
        }
    }

    /// Returns what the agenda omits, and how to see it.
    private static func rest(of state: AgendaScreen.State) -> String {
        let hidden = hiddenNote(state).map { $0 + "." } ?? ""
        let later = state.later > 0 ? "\(state.later) later; `agenda all` shows them." : ""
        return [hidden, later].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// Returns a row for each record. SatchelScreens.docc/Scripting.md documents the columns.
    @Sendable
    private static func table(_ state: AgendaScreen.State) -> PlainTable {
        let rows = (state.overdue + state.days.flatMap(\.items)).map {
            [$0.number.map { String($0) } ?? "", $0.id, $0.collection, $0.due, $0.title]
        }
        return PlainTable(
            columns: ["number", "id", "collection", "due", "title"], rows: rows,
            note: state.hidden > 0 ? "\(state.hidden) more" : nil)
    }

    // MARK: Months

    /// Returns as many months as fit next to each other, and an empty line.
    private static func months(of state: AgendaScreen.State, on page: LinePage) -> [String] {
        let room = ((page.columns ?? 80) + gap) / (monthWidth + gap)
        let months = state.months(limit: min(max(room, 1), 3)).map { Self.lines(of: $0, on: page) }
        guard let height = months.map({ $0.count }).max() else { return [] }
        let rows = (0..<height).map { index in
            var line = ""
            var padding = 0
            for month in months {
                let cell = index < month.count ? month[index] : PaddedText(text: "", width: 0)
                if cell.width > 0 { line += String(repeating: " ", count: padding) + cell.text }
                padding = cell.width > 0 ? monthWidth - cell.width + gap : padding + monthWidth + gap
            }
            return line
        }
        return rows + [""]
    }

    /// A text with its width without emphasis.
    private struct PaddedText {
        let text: String
        let width: Int
    }

    private static func lines(of month: MonthGrid, on page: LinePage) -> [PaddedText] {
        let names = month.weekdays.map { " " + $0 }.joined(separator: " ")
        let heading = [
            PaddedText(text: page.text(month.title, .strong), width: month.title.count),
            PaddedText(text: page.text(names, .faint), width: names.count),
        ]
        return heading + month.weeks.map { line(of: $0, on: page) }
    }

    /// Returns a week: four columns for each day, without the spaces at the end.
    private static func line(of week: [MonthGrid.Day?], on page: LinePage) -> PaddedText {
        var (text, width, padding) = ("", 0, 0)
        for day in week {
            guard let day else {
                padding += 4
                continue
            }
            let number = day.number < 10 ? " \(day.number)" : String(day.number)
            let mark = day.count > 0 ? "*" : ""
            let cell = day.isToday ? "[\(number)\(mark.isEmpty ? "]" : mark)" : " \(number)\(mark)"
            let emphasis: Emphasis =
                day.isToday ? .strong : day.count == 0 ? (day.isPast ? .faint : .none) : day.isPast ? .bad : .warning
            text += String(repeating: " ", count: padding) + page.text(cell, emphasis)
            width += padding + cell.count
            padding = 4 - cell.count
        }
        return PaddedText(text: text, width: width)
    }
}

/// The records of a day, or of all days that are past, under a heading.
struct AgendaSection {
    let title: String
    let isOverdue: Bool
    let isToday: Bool
    let items: [AgendaScreen.State.Item]
}

extension AgendaScreen.State {
    /// The overdue records, then the days.
    var sections: [AgendaSection] {
        let past = AgendaSection(title: "Overdue", isOverdue: true, isToday: false, items: overdue)
        let next = days.map { day in
            let distance = day.distance < 2 ? "" : ", in \(day.distance) days"
            return AgendaSection(
                title: day.words.capitalisedFirst + distance, isOverdue: false, isToday: day.distance == 0,
                items: day.items)
        }
        return (overdue.isEmpty ? [] : [past]) + next
    }
}

enum AgendaPage {
    /// Shows the months with marks, then the records by day.
    ///
    /// - Parameter deadline: The name of the field with the dates.
    static func renderer(_ deadline: String) -> WebRenderer<AgendaScreen> {
        WebRenderer(
            AgendaScreen.self, title: "Agenda", place: .further, key: "g", placed: [AgendaScreen.name],
            reading: { ReportHead.reading(AgendaScreen.name, $0) }, isBlank: \.today.isEmpty,
            content: { state, frame in
                frame.templates.html("agenda", AgendaModel(state, deadline: deadline, frame))
            })
    }
}

/// The agenda for the template `agenda`.
struct AgendaModel {
    let head: [ReportHead]
    /// The links to other spans.
    let spans: [PageLink]
    let months: [Month]
    let sections: [Section]
    /// The note of an agenda without records.
    let empty: [EmptyMessage]
    let rest: String
    let hasRest: Bool

    /// A month.
    struct Month {
        let title: String
        let weekdays: [String]
        let weeks: [Week]
    }

    /// A week of a month.
    struct Week {
        let days: [Day]
    }

    /// A day of a month; without text for one of another month.
    struct Day {
        let text: String
        let count: Int
        let isMarked: Bool
        let isToday: Bool
    }

    /// The records of a day.
    struct Section {
        let title: String
        let count: Int
        let isOverdue: Bool
        let entries: [Entry]
    }

    /// A record.
    struct Entry {
        let title: String
        let href: String
        let when: String
        let isOverdue: Bool
        let labels: [String]
        let hasLabels: Bool
    }

    private static let titles = [
        (span: "today", title: "Today"), (span: "week", title: "7 days"), (span: "month", title: "31 days"),
        (span: "all", title: "All"),
    ]

    init(_ state: AgendaScreen.State, deadline: String, _ frame: PageFrame) {
        let typed = frame.address.parameters["filter"] ?? ""
        head = [ReportHead(AgendaScreen.name, filter: typed, state.context, frame)]
        spans = Self.titles.map { span, title in
            let words = state.filter.isEmpty ? span : "\(span) \(state.filter)"
            let address = PageAddress(screen: AgendaScreen.name, Parameters([("filter", words)]))
            return PageLink(href: address.text, title: title, isHere: state.span == span)
        }
        months = state.months(limit: 3).map { month in
            Month(
                title: month.title, weekdays: month.weekdays,
                weeks: month.weeks.map { week in
                    Week(
                        days: week.map { day in
                            Day(
                                text: day.map { String($0.number) } ?? "", count: day?.count ?? 0,
                                isMarked: (day?.count ?? 0) > 0, isToday: day?.isToday ?? false)
                        })
                })
        }
        sections = state.sections.map { section in
            Section(
                title: section.title, count: section.items.count, isOverdue: section.isOverdue,
                entries: section.items.map { Entry($0, section) })
        }
        empty = frame.hasFailure ? [] : [EmptyMessage(state, deadline: deadline)].compactMap(\.self)
        let notes = [
            AgendaLines.hiddenNote(state),
            state.later > 0 ? "\(state.later) later" : nil,
        ]
        rest = notes.compactMap(\.self).joined(separator: ", ")
        hasRest = !rest.isEmpty && !sections.isEmpty
    }
}

extension AgendaModel.Entry {
    init(_ item: AgendaScreen.State.Item, _ section: AgendaSection) {
        self.init(
            title: item.title,
            href: PageAddress(screen: DetailScreen.name, Parameters([("record", item.id)])).text,
            when: section.isOverdue ? item.words : item.time, isOverdue: item.isOverdue, labels: item.labels,
            hasLabels: !item.labels.isEmpty)
    }
}

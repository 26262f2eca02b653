/// What kind of terminal there is, decided from plain facts.
enum TerminalTraits {
    /// The page for an output.
    ///
    /// Colour is used on a terminal only, not with `NO_COLOR` set to anything (no-color.org), and not when `TERM` is
    /// `dumb` or absent. The width is the terminal's, else `COLUMNS`, else 80; without a terminal there is none. A screen
    /// has an end, beyond which a pager helps, where `TERM` says what it can do and the person wants a pager.
    static func page(
        isTerminal: Bool, terminalColumns: Int?, terminalRows: Int?, environment: [String: String]
    ) -> LinePage {
        guard isTerminal else { return LinePage() }
        let isDumb = isDumb(environment)
        let wantsNone = !(environment["NO_COLOR"] ?? "").isEmpty
        let columns = terminalColumns ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80
        let hasPager = !isDumb && ForegroundProgram.pager(environment: environment) != nil
        let rows = hasPager ? terminalRows.flatMap { $0 > 0 ? $0 : nil } : nil
        return LinePage(columns: max(columns, 20), rows: rows, isColoured: !isDumb && !wantsNone)
    }

    /// Whether lines can be edited: a person sits there, and the terminal can do more than print.
    static func canEdit(isInput: Bool, isOutput: Bool, environment: [String: String]) -> Bool {
        isInput && isOutput && !isDumb(environment)
    }

    /// How many columns a row has that shows how far a work is, on a terminal that can remove it again. The last column
    /// stays free: some terminals go to the next row after it.
    static func progressColumns(isTerminal: Bool, terminalColumns: Int?, environment: [String: String]) -> Int? {
        guard isTerminal, !isDumb(environment) else { return nil }
        return max(terminalColumns ?? environment["COLUMNS"].flatMap { Int($0) } ?? 80, 20) - 1
    }

    private static func isDumb(_ environment: [String: String]) -> Bool {
        ["", "dumb"].contains(environment["TERM"] ?? "")
    }
}

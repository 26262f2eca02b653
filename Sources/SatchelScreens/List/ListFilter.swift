import ControllerKit
import Controllers
import Records

/// The values that the filter of a list names and that all its rows have. The columns omit them, since the command that
/// was typed says them already.
struct ListFilter {
    /// The fields whose whole column is omitted.
    private let fields: Set<String>
    /// The texts that are omitted from the sets of rows, by field.
    private let texts: [String: Set<String>]

    init(_ state: ListScreen.State) {
        let words = CommandWords.splitUnclosed(state.filter).map { $0.lowercased() }
        var fields: Set<String> = []
        var texts: [String: Set<String>] = [:]
        for field in words.isEmpty || state.rows.isEmpty ? [] : state.types.columns {
            switch Self.shared(field, state.rows) {
            case .text(let text)? where Self.names(field, text, words): fields.insert(field.name)
            case .texts(let all)?:
                let named = Set(all.filter { Self.names(field, $0, words) })
                if !named.isEmpty { texts[field.name] = named }
            case .text?, .date?, .number?, .flag?, nil: break
            }
        }
        (self.fields, self.texts) = (fields, texts)
    }

    /// Returns whether a column would only repeat the filter.
    func repeats(_ field: Field) -> Bool { fields.contains(field.name) }

    /// Returns a row without the texts that would only repeat the filter.
    func shortened(_ row: ListScreen.State.Row) -> ListScreen.State.Row {
        if texts.isEmpty { return row }
        var row = row
        for (field, omitted) in texts {
            guard case .texts(let all)? = row.values[field] else { continue }
            row.values[field] = .texts(all.filter { !omitted.contains($0) })
        }
        return row
    }

    /// Returns the value that all rows have in a field; of sets, the texts that are in all of them.
    private static func shared(_ field: Field, _ rows: [ListScreen.State.Row]) -> ListScreen.State.Value? {
        guard var shared = rows.first?.values[field.name] else { return nil }
        for row in rows.dropFirst() {
            guard let other = row.values[field.name] else { return nil }
            if case .texts(let some) = shared, case .texts(let others) = other {
                let both = some.filter { others.contains($0) }
                if both.isEmpty { return nil }
                shared = .texts(both)
            } else if shared != other {
                return nil
            }
        }
        return shared
    }

    /// Returns whether a word of the filter is the condition that a field has a text: `project:house`, `+shop`.
    private static func names(_ field: Field, _ text: String, _ words: [String]) -> Bool {
        let text = text.lowercased()
        let sign = field.column?.sign ?? ""
        let names = [field.name] + field.aliases
        return words.contains { $0 == sign + text && !sign.isEmpty }
            || names.contains { words.contains("\($0):\(text)") }
    }
}

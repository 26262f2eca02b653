import Controllers
import LineView
import Records

extension ListColumns {
    /// Returns a list with a column for each field, for `--columns`. SatchelScreens.docc/Scripting.md documents the names,
    /// which don't change.
    static func table(_ state: ListScreen.State) -> PlainTable {
        let all = ListColumn.all(for: state.types.types)
        let declared = all.map(\.name)
        // Fields of newer versions and of other programs have no declaration.
        let stored = state.rows.flatMap { Array($0.typed.json.names) }
        var known: Set<String> = []
        let names = (declared + stored.sorted()).filter { known.insert($0).inserted }
        let rows = state.rows
        return PlainTable(
            columns: names, count: rows.count, note: rows.count < state.total ? windowNote(state) : nil,
            otherNames: ListColumn.otherNames(of: all)
        ) { rows[$0].cell($1) }
    }
}

extension ListScreen.State.Row {
    /// Returns the text of a column: numbers and texts as they are, the elements of a set separated by commas.
    fileprivate func cell(_ column: String) -> String {
        switch column {
        case "number": return String(number)
        case "id": return id
        case "prefix": return prefix
        case "collection": return collection
        case FieldKey.title.name: return title
        default: break
        }
        if let value = typed.json[column] { return value.plainText }
        // A state that follows from the absence of its field.
        if case .text(let text)? = values[column] { return text }
        return ""
    }
}

extension JSONValue {
    /// The value for programs: texts as they are, the elements of a set separated by commas, anything else as JSON.
    var plainText: String {
        if let texts = array?.compactMap(\.string), texts.count == array?.count { return texts.joined(separator: ",") }
        return string ?? text
    }
}

import Controllers
import Records

/// The words of a task and of a filter that are known beforehand.
enum TaskWords {
    private static let known = RecordTypes.standard.catalog.completed.map { ($0.name + ":", $0.completions) }

    /// The names of fields.
    static func names(beginning: String) -> [Offer] {
        known.map(\.0).filter { !beginning.isEmpty && $0.hasPrefix(beginning) }.map { Offer($0) }
    }

    /// The values of a field whose name stands there; nil where they are not known beforehand.
    static func values(beginning: String) -> [Offer]? {
        guard let (name, values) = known.first(where: { beginning.hasPrefix($0.0) }), !values.isEmpty else {
            return nil
        }
        return values.map { name + $0 }.filter { $0.hasPrefix(beginning) }.map { Offer($0) }
    }
}

internal import ControllerKit
internal import LocalStore
internal import Records

// How people name records: by the number in the last list that this terminal showed, or by the beginning of the id.
extension Cache {
    /// The record that `reference` names.
    ///
    /// - Throws: `Failure` of category `notFound` that says what to do.
    func resolve(_ reference: String, terminal: String) throws -> RecordKey {
        if let number = Int(reference), number > 0, reference.utf8.count <= 6 {
            let listing = try listing(terminal: terminal)
            if number <= listing.count { return try existing(listing[number - 1], reference) }
        }
        let matches = try keys(prefix: reference.lowercased())
        let found = matches.isEmpty ? try keys(prefix: reference) : matches
        switch found.count {
        case 1: return found[0]
        case 0: throw Failure(.notFound, Self.unknown(reference))
        default:
            let ids = found.map(\.id).joined(separator: ", ")
            throw Failure(.notFound, "“\(reference)” fits several records: \(ids). Give more of the id.")
        }
    }

    /// The records that `references` name, each once, in that order.
    func resolve(_ references: [String], terminal: String) throws -> [RecordKey] {
        var keys: [RecordKey] = []
        for reference in references {
            let key = try resolve(reference, terminal: terminal)
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    private func existing(_ key: RecordKey, _ reference: String) throws -> RecordKey {
        guard let record = try cached(key)?.record, !record.deleted else {
            throw Failure(.notFound, "Number \(reference) of the last list has been deleted since. Run `list` again.")
        }
        return key
    }

    private static func unknown(_ reference: String) -> String {
        Int(reference) == nil
            ? "No record's id begins with “\(reference)”. See `list`."
            : "The last list on this terminal has no number \(reference). Run `list`, or give the beginning of an id."
    }
}

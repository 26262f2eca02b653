internal import ControllerKit
internal import LocalStore
internal import Records

extension Cache {
    /// The filters that have names, by name.
    func savedLists() throws -> [SavedList] {
        try records(in: [SavedList.type.collection])
            .compactMap { SavedList(fields: $0.fields) }
            .sorted { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
    }

    /// The list of this name, without its `@`; nil where there is none.
    func savedList(_ name: String) throws -> SavedList? {
        guard let record = try cached(SavedList.key(name))?.record, !record.deleted else { return nil }
        return SavedList(fields: record.fields)
    }

    /// The words of the list of a name, those of the lists that it names in their places.
    ///
    /// - Parameter within: the lists on the way there.
    /// - Throws: `Failure` where a list doesn't exist, or names itself.
    func words(ofList name: String, within: [String] = []) throws -> [String] {
        let list = try existingList(name, otherwise: "; for the text write title:@\(name)")
        return try words(expanding: list.words, within: within + [list.name.lowercased()])
    }

    /// The list of this name.
    ///
    /// - Parameter otherwise: what else the name may have been typed for.
    /// - Throws: `Failure` of category `notFound` that says what to do.
    func existingList(_ name: String, otherwise: String = "") throws -> SavedList {
        if let list = try savedList(name) { return list }
        let nearest = Suggestion.nearest(name, among: try savedLists().map(\.name))
        let hint = nearest.map { " Did you mean “@\($0)”?" } ?? ""
        throw Failure(
            .notFound, "There is no list “@\(name)”.\(hint) `lists` shows all\(otherwise).")
    }

    /// Words of a filter, those of the lists that it names in their places.
    func words(expanding words: [String], within: [String]) throws -> [String] {
        let filter = FilterWords(words)
        var expanded = FilterWords([])
        for word in filter.terms {
            guard let name = SavedList.name(in: word) else {
                expanded.terms.append(word)
                continue
            }
            guard !within.contains(name.lowercased()) else {
                throw Failure(.usage, "The list “@\(name)” would contain itself. Leave it out.")
            }
            expanded = expanded + FilterWords(try self.words(ofList: name, within: within))
        }
        expanded.texts += filter.texts
        return expanded.words
    }
}

extension Services {
    /// Takes apart what stands in a filter by itself, and what the saved lists stand for that it names by `@`.
    func apart(_ filter: [String]) async throws -> (own: [String], named: [String]) {
        var own = FilterWords(filter)
        let names = own.terms.compactMap(SavedList.name)
        guard !names.isEmpty else { return (filter, []) }
        let named = try await store.read { cache in
            try names.map { FilterWords(try cache.words(ofList: $0)) }.reduce(FilterWords([]), +)
        }
        own.terms.removeAll { SavedList.name(in: $0) != nil }
        return (own.words, named.words)
    }
}

extension SavedList {
    /// The name in a word such as `@shopping`; nil for any other word.
    static func name(in word: String) -> String? {
        guard word.hasPrefix("@"), isName(String(word.dropFirst())) else { return nil }
        return String(word.dropFirst())
    }
}

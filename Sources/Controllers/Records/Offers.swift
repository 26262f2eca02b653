public import ControllerKit
internal import LocalStore
internal import Records

/// Something that a word may be completed to.
public struct Offer: Sendable, Equatable {
    /// What is written.
    public let text: String
    /// What it is, to choose by; may be empty.
    public let note: String

    /// An offer.
    public init(_ text: String, note: String = "") {
        self.text = text
        self.note = note
    }
}

extension Services {
    /// How many offers there are at most.
    static let maximumOffers = 500

    /// What an argument may be, by the beginning of a word: tags and projects in use, those used most first; records by
    /// their ids, or by words of their titles. None where the cache can't be read, which the command itself tells.
    public func offers(for completion: ArgumentSpec.Completion, beginning: String) async -> [Offer] {
        switch completion {
        case .tags: return await texts(at: "$.tags", beginning)
        case .projects: return await texts(at: "$.project", beginning)
        case .records: return await records(beginning)
        case .lists: return await lists(beginning)
        case .nothing, .words, .files, .values: return []
        }
    }

    private func texts(at path: String, _ beginning: String) async -> [Offer] {
        let texts = try? await store.read {
            try $0.textsInUse(at: path, beginning: beginning, limit: Self.maximumOffers)
        }
        return (texts ?? []).map { Offer($0) }
    }

    private func lists(_ beginning: String) async -> [Offer] {
        let lists = try? await store.read { try $0.savedLists() }
        return (lists ?? []).filter { $0.name.lowercased().hasPrefix(beginning.lowercased()) }
            .map { Offer($0.name, note: CommandWords.joined($0.words)) }
    }

    private func records(_ beginning: String) async -> [Offer] {
        let terminal = terminal
        let found = try? await store.write { cache in
            try cache.offers(of: cache.offered(beginning, terminal: terminal, limit: Self.maximumOffers))
        }
        if let found { return found }
        // What can only be read has no index that is up to date.
        let titled = try? await store.read { cache in
            try cache.offers(of: cache.readable(beginning, terminal: terminal, limit: Self.maximumOffers))
        }
        return titled ?? []
    }
}

extension Cache {
    /// The records that a beginning may name: without one, those of the last list on this terminal.
    fileprivate func offered(_ beginning: String, terminal: String, limit: Int) throws -> [RecordKey] {
        let known = try named(beginning, terminal: terminal, limit: limit)
        return known.isEmpty && !beginning.isEmpty ? try search([beginning], limit: limit) : known
    }

    /// The same without writing: of other texts than titles nothing is found.
    fileprivate func readable(_ beginning: String, terminal: String, limit: Int) throws -> [RecordKey] {
        let known = try named(beginning, terminal: terminal, limit: limit)
        return known.isEmpty && !beginning.isEmpty ? try keys(titleContaining: beginning, limit: limit) : known
    }

    private func named(_ beginning: String, terminal: String, limit: Int) throws -> [RecordKey] {
        if beginning.isEmpty { return Array(try listing(terminal: terminal).prefix(limit)) }
        return try keys(prefix: beginning.lowercased(), limit: limit)
    }

    fileprivate func offers(of keys: [RecordKey]) throws -> [Offer] {
        try keys.map { Offer(try shortPrefix(of: $0.id), note: try title(of: $0)) }
    }
}

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
            .map { Offer($0.name, note: FilterText.joined($0.words)) }
    }

    private func records(_ beginning: String) async -> [Offer] {
        let terminal = terminal
        let found = try? await store.write { cache in
            try cache.offered(beginning, terminal: terminal, limit: Self.maximumOffers).map { key in
                Offer(try cache.shortPrefix(of: key.id), note: try cache.title(of: key))
            }
        }
        return found ?? []
    }
}

extension Cache {
    /// The records that a beginning may name: without one, those of the last list on this terminal.
    fileprivate func offered(_ beginning: String, terminal: String, limit: Int) throws -> [RecordKey] {
        if beginning.isEmpty { return Array(try listing(terminal: terminal).prefix(limit)) }
        let byID = try keys(prefix: beginning.lowercased(), limit: limit)
        return byID.isEmpty ? try search([beginning], limit: limit) : byID
    }
}

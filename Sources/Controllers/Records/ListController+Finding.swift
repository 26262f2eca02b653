internal import ControllerKit
internal import LocalStore
internal import Records

extension ListController {
    typealias Row = ListScreen.State.Row
    typealias Group = ListScreen.State.Group

    // MARK: Lists and searches

    func list(_ filter: [String], limit: Int?, offset: Int?) async throws {
        let range = try Self.range(limit: limit, offset: offset)
        let query = try await query(filter)
        let found = try await found(query)
        let isGrouped = query.isInUsualOrder
        try await show(found.map(\.key), filter, range, groups: isGrouped ? groups(of: found, in: range) : [:]) {
            $0.query = query
        }
    }

    func search(_ words: [String], limit: Int?) async throws {
        let range = try Self.range(limit: limit, offset: nil)
        let (own, named) = try await services.apart(words)
        let search = try SearchQuery(own, filter: named, dates: services.dates, types: services.types)
        try await show(found(search), words, range, groups: [:]) { $0.sought = SearchedText(search.words) }
    }

    private func query(_ filter: [String]) async throws -> Query {
        let (own, named) = try await services.apart(filter)
        return try Query(
            (FilterWords(named) + FilterWords(own)).words, dates: services.dates, types: services.types, scope: .open)
    }

    private func found(_ query: Query) async throws -> [QueryRow] {
        let collections = services.types.listed
        return try await services.store.read { query.select(from: try $0.rows(in: collections)) }
    }

    /// The best fit first, unless an order was asked for.
    private func found(_ search: SearchQuery) async throws -> [RecordKey] {
        if search.words.isEmpty { return try await found(search.filter).map(\.key) }
        return try await services.store.view { cache in
            let keys = try cache.search(search.words, limit: .max)
            if search.isPlain { return keys }
            let rows = try cache.records(keys).map {
                QueryRow(collection: $0.key.collection, id: $0.key.id, fields: $0.fields)
            }
            return
                (search.filter.isInUsualOrder ? rows.filter(search.filter.matches) : search.filter.select(from: rows))
                .map(\.key)
        }
    }

    private static func range(limit: Int?, offset: Int?) throws(Failure) -> Range<Int> {
        let limit = limit ?? ListScreen.windowDefault
        let offset = offset ?? 0
        guard (1...ListScreen.windowMaximum).contains(limit) else {
            throw Failure(.usage, "--limit must be 1 to \(ListScreen.windowMaximum), not \(limit).")
        }
        guard (0...Int(Int32.max)).contains(offset) else {
            throw Failure(.usage, "--offset must be 0 or more, not \(offset).")
        }
        return offset..<offset + limit
    }

    private func groups(of found: [QueryRow], in range: Range<Int>) -> [RecordKey: Group] {
        let horizon = Horizon(services.dates)
        let window = found.dropFirst(range.lowerBound).prefix(range.count)
        return Dictionary(window.map { ($0.key, Group($0, horizon)) }) { first, _ in first }
    }

    // MARK: Showing

    /// Shows a window of what was found, and keeps its numbers for this terminal.
    private func show(
        _ found: [RecordKey], _ filter: [String], _ range: Range<Int>, groups: [RecordKey: Group],
        _ describe: (inout ListWindow) -> Void
    ) async throws {
        var window = ListWindow()
        describe(&window)
        window.shown = zip(1..., found).dropFirst(range.lowerBound).prefix(range.count)
            .map { .init(number: $0, key: $1, group: groups[$1]) }
        window.total = found.count
        window.offset = range.lowerBound
        let numbered = Array(found.prefix(range.upperBound))
        let (terminal, rowsOfWindow) = (services.terminal, rows(of: window))
        let rows = try await services.store.view { cache in
            try cache.remember(numbered, terminal: terminal)
            return try rowsOfWindow(cache)
        }
        // All at once, after the last wait: lists of two views never mix.
        generation += 1
        last = window
        state.filter = CommandWords.joined(filter)
        state.offset = range.lowerBound
        state.total = window.total - (window.shown.count - rows.count)
        state.rows = rows
    }

    /// How to read the rows of a window; records that are gone have none.
    func rows(of window: ListWindow) -> @Sendable (Cache) throws -> [Row] {
        let context = RowContext(dates: services.dates, sought: window.sought)
        let shown = window.shown
        return { cache in
            try shown.compactMap { shown in
                guard let cached = try cache.cached(shown.key), !cached.record.deleted else { return nil }
                return Row(shown, cached, prefix: try cache.shortPrefix(of: shown.key.id), context)
            }
        }
    }

    /// Numbers what fits the filter by now and isn't shown yet, where the window is the whole list.
    func appendNew() async throws {
        guard let query = last.query, last.isWhole else { return }
        let asked = generation
        let found = try await found(query).map(\.key)
        let known = Set(last.shown.map(\.key))
        let new = found.filter { !known.contains($0) }
        guard asked == generation, !new.isEmpty, last.total + new.count <= ListScreen.windowMaximum else { return }
        let group = query.isInUsualOrder ? Group.new : nil
        last.shown += zip((last.total + 1)..., new).map { .init(number: $0, key: $1, group: group) }
        last.total = last.shown.count
        let (keys, terminal) = (last.shown.map(\.key), services.terminal)
        try await services.store.view { try $0.remember(keys, terminal: terminal) }
    }
}

extension QueryRow {
    /// The key under which it is stored.
    fileprivate var key: RecordKey { RecordKey(collection: collection, id: id) }
}

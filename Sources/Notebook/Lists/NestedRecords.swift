internal import LocalStore
internal import Records

/// The records of a list in an order in which parts follow the record of which they are parts.
///
/// A part moves only within its section, so that one that is due today stays among those that are due today. Of records
/// that are parts of each other in a cycle, the first in the list comes first.
struct NestedRecords {
    /// The records, in order.
    private(set) var keys: [RecordKey] = []
    /// The numbers of records above each part in the list; records that aren't under another one are absent.
    private(set) var depths: [RecordKey: Int] = [:]

    private let rows: [QueryRow]
    /// The places of the parts of a record, by its place.
    private var parts: [Int: [Int]] = [:]
    /// The place of the record above, by the place of a part.
    private var above: [Int: Int] = [:]

    /// The number of levels above a part that are followed.
    private static let deepest = 50

    /// Orders records.
    ///
    /// - Parameters:
    ///   - rows: The records in the order of the list.
    ///   - links: The links between all records.
    ///   - section: Returns the section of a record.
    init(_ rows: [QueryRow], _ links: RecordLinks, section: (QueryRow) -> RecordSection) {
        self.rows = rows
        if links.hasParts { find(links, section) }
        if above.isEmpty {
            keys = rows.map(\.key)
        } else {
            keys.reserveCapacity(rows.count)
            var seen: Set<Int> = []
            for place in rows.indices where isTop(place) { append(place, &seen) }
        }
    }

    /// Finds the records of the list that are directly under another one of the same section.
    private mutating func find(_ links: RecordLinks, _ section: (QueryRow) -> RecordSection) {
        var places: [String: Int] = [:]
        for (place, row) in rows.enumerated() where links.progress(of: row.id) != nil { places[row.id] = place }
        if places.isEmpty { return }
        for (place, row) in rows.enumerated() {
            guard let id = links.parent(of: row.id), let parent = places[id], parent != place,
                section(row) == section(rows[parent])
            else { continue }
            above[place] = parent
            parts[parent, default: []].append(place)
        }
    }

    /// Returns whether a record is under no other one. One in a cycle counts as such; `append` omits it if it has
    /// already been appended under another one.
    private func isTop(_ place: Int) -> Bool {
        var next = place
        for _ in 0..<Self.deepest {
            guard let parent = above[next] else { return next == place }
            next = parent
        }
        return true
    }

    /// Appends a record with all that are under it.
    private mutating func append(_ top: Int, _ seen: inout Set<Int>) {
        // A stack and no recursion: a chain of parts may be long.
        var stack = [(place: top, depth: 0)]
        while let (place, depth) = stack.popLast() {
            guard seen.insert(place).inserted else { continue }
            keys.append(rows[place].key)
            if depth > 0 { depths[rows[place].key] = depth }
            stack += (parts[place] ?? []).reversed().map { (place: $0, depth: depth + 1) }
        }
    }
}

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
    /// The indices of the parts of a record, by its index.
    private var parts: [Int: [Int]] = [:]
    /// The index of the record above, by the index of a part.
    private var above: [Int: Int] = [:]

    /// The number of levels above a part that are followed.
    private static let maximumDepth = 50

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
            for index in rows.indices where isTop(index) { append(index, &seen) }
        }
    }

    /// Finds the records of the list that are directly under another one of the same section.
    private mutating func find(_ links: RecordLinks, _ section: (QueryRow) -> RecordSection) {
        var indices: [String: Int] = [:]
        for (index, row) in rows.enumerated() where links.progress(of: row.id) != nil { indices[row.id] = index }
        if indices.isEmpty { return }
        for (index, row) in rows.enumerated() {
            guard let id = links.parent(of: row.id), let parent = indices[id], parent != index,
                section(row) == section(rows[parent])
            else { continue }
            above[index] = parent
            parts[parent, default: []].append(index)
        }
    }

    /// Returns whether a record is under no other one. One in a cycle counts as such; `append` omits it if it has
    /// already been appended under another one.
    private func isTop(_ index: Int) -> Bool {
        var next = index
        for _ in 0..<Self.maximumDepth {
            guard let parent = above[next] else { return next == index }
            next = parent
        }
        return true
    }

    /// Appends a record with all that are under it.
    private mutating func append(_ top: Int, _ seen: inout Set<Int>) {
        // A stack and no recursion: a chain of parts may be long.
        var stack = [(index: top, depth: 0)]
        while let (index, depth) = stack.popLast() {
            guard seen.insert(index).inserted else { continue }
            keys.append(rows[index].key)
            if depth > 0 { depths[rows[index].key] = depth }
            stack += (parts[index] ?? []).reversed().map { (index: $0, depth: depth + 1) }
        }
    }
}

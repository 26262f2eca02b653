internal import Records
internal import SyncAPI

/// The results of a push as they are answered: an outcome, and for each conflict what the server has now.
///
/// An outcome holds no copies of records, or one small request could fill the disk; and what is told at a repetition
/// is newer, never wrong.
struct PushResults: Sendable {
    /// A JSON array.
    let bytes: [UInt8]

    /// Fills in `current` until about `Limits.pageBytes` of it are told; the conflicts after that are told without, and
    /// the client learns what the server has from the changes after its cursor. That a record is unknown, which no
    /// page could tell, always is told.
    ///
    /// - Parameter keys: the records of the request's mutations, in their order.
    init(_ outcome: StoredOutcome, of keys: [RecordKey], space: String, from store: any StoreReading) throws {
        var bytes: [UInt8] = [UInt8(ascii: "[")]
        var room = Limits.pageBytes
        let results = Array(zip(keys, outcome.results))
        for start in stride(from: 0, to: results.count, by: Self.readAtOnce) {
            let chunk = results[start..<min(start + Self.readAtOnce, results.count)]
            let current = try store.records(chunk.filter(\.1.isConflict).map(\.0), in: space)
            for (key, result) in chunk {
                if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
                guard result.isConflict else {
                    bytes.append(contentsOf: result.utf8)
                    continue
                }
                Self.append(current[key], to: &bytes, room: &room)
            }
        }
        bytes.append(UInt8(ascii: "]"))
        self.bytes = bytes
    }

    private static func append(_ current: StoredRecord?, to bytes: inout [UInt8], room: inout Int) {
        guard let current else { return bytes.append(contentsOf: #"{"current":null,"status":"conflict"}"#.utf8) }
        guard room > 0 else { return bytes.append(contentsOf: MutationResult.conflictText.utf8) }
        let before = bytes.count
        bytes.append(contentsOf: #"{"current":"#.utf8)
        current.append(to: &bytes)
        bytes.append(contentsOf: #","status":"conflict"}"#.utf8)
        room -= bytes.count - before
    }

    /// Records that are in memory at a time, each of up to 1 MiB.
    private static let readAtOnce = 32
}

extension String {
    fileprivate var isConflict: Bool { self == MutationResult.conflictText }
}

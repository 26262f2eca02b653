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
        for (key, result) in zip(keys, outcome.results) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            if !result.isConflict {
                bytes.append(contentsOf: result.utf8)
            } else if room > 0 {
                Self.append(try store.records([key], in: space)[key], to: &bytes, room: &room)
            } else {
                let isKnown = try store.version(of: key, in: space) != nil
                bytes.append(contentsOf: (isKnown ? MutationResult.conflictText : Self.unknownText).utf8)
            }
        }
        bytes.append(UInt8(ascii: "]"))
        self.bytes = bytes
    }

    /// The bytes that the results of an outcome may have.
    static func largest(_ outcome: StoredOutcome) -> Int {
        var (stored, conflicts) = (0, 0)
        for result in outcome.results {
            stored += result.utf8.count + unknownText.utf8.count
            if result.isConflict { conflicts += 1 }
        }
        return stored + min(conflicts * Limits.recordOnWire, Limits.largestConflicts)
    }

    private static func append(_ current: StoredRecord?, to bytes: inout [UInt8], room: inout Int) {
        guard let current else { return bytes.append(contentsOf: unknownText.utf8) }
        let before = bytes.count
        bytes.append(contentsOf: #"{"current":"#.utf8)
        current.append(to: &bytes)
        bytes.append(contentsOf: #","status":"conflict"}"#.utf8)
        room -= bytes.count - before
    }

    /// A conflict about a record that the server doesn't know.
    private static let unknownText = #"{"current":null,"status":"conflict"}"#
}

extension String {
    fileprivate var isConflict: Bool { self == MutationResult.conflictText }
}

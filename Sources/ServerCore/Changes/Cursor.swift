internal import Records

/// A position in a space's changes, opaque to clients (SyncAPI.docc/Protocol.md, "Changes").
package struct Cursor: Sendable, Equatable {
    /// The epoch of the database that issued the cursor.
    package var epoch: String
    /// The version up to which the client has received everything.
    package var position: Int64
    /// Tombstones up to this version are omitted: the version at the first page of a first sync, else `position`.
    package var horizon: Int64

    /// Creates the cursor of a page that ends at `position`; a first sync passes its `horizon` on.
    init(epoch: String, position: Int64, horizon: Int64 = 0) {
        self.epoch = epoch
        self.position = position
        self.horizon = max(position, horizon)
    }

    /// Parses a cursor's text; nil if this server could not have issued it.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, RecordKey.isIdentifier(parts[0]), let position = Int64(parts[1]), position >= 0,
            let horizon = Int64(parts[2]), horizon >= position
        else { return nil }
        self.init(epoch: String(parts[0]), position: position, horizon: horizon)
        // Base64 and `Int64` accept several forms of a value, such as `+1`; the server issues one.
        if self.text != text { return nil }
    }

    /// Whether the cursor is of a first sync that isn't complete.
    var isWithinFirstSync: Bool { horizon > position }

    /// The cursor's text on the wire.
    package var text: String { Base64URL.encode("\(epoch).\(position).\(horizon)".utf8) }

    /// Returns whether the cursor can be used for a space in this state.
    ///
    /// - Parameter shared: The version up to which the space is as it was in the cursor's epoch, if that has ended.
    func validity(epoch: String, space: SpaceRow, shared: Int64? = nil) -> Validity {
        // A cursor from the future means that a database was restored without being marked. To which state isn't known,
        // so nothing is shared.
        if epoch != self.epoch || horizon > space.version { return .epochChanged(shared: shared ?? 0) }
        return horizon < space.tombstoneFloor ? .expired : .valid
    }

    /// Returns whether the cursor can be used for a stored space.
    func validity(in space: SpaceRow, _ store: any StoreReading) throws -> Validity {
        let present = try store.epoch()
        let shared = present == epoch ? nil : try store.shared(since: epoch, in: space.id)
        return validity(epoch: present, space: space, shared: shared)
    }

    /// The validity of a cursor.
    enum Validity: Sendable, Equatable {
        case valid
        /// Tombstones after the cursor may be gone.
        case expired
        /// The cursor is of another epoch, or from the future. Up to `shared`, the space is as the cursor's holder
        /// knows it.
        case epochChanged(shared: Int64)
    }
}

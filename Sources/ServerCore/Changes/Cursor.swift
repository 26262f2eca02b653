internal import Records

/// A position in a space's changes, opaque to clients (SyncAPI.docc/Protocol.md, "Changes").
struct Cursor: Sendable, Equatable {
    /// The epoch of the database that gave it.
    var epoch: String
    /// The version up to which everything was seen.
    var position: Int64
    /// Tombstones up to this version are left out: the version at the first page of a first sync, else `position`.
    var horizon: Int64

    /// The cursor of a page that ends at `position`; a first sync passes its `horizon` on.
    init(epoch: String, position: Int64, horizon: Int64 = 0) {
        self.epoch = epoch
        self.position = position
        self.horizon = max(position, horizon)
    }

    /// Reads a cursor's text; nil if it is none that this server could have given.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, RecordKey.isIdentifier(parts[0]), let position = Int64(parts[1]), position >= 0,
            let horizon = Int64(parts[2]), horizon >= position
        else { return nil }
        self.init(epoch: String(parts[0]), position: position, horizon: horizon)
        if self.text != text { return nil }
    }

    /// Whether it is that of a page of a first sync which isn't the last one.
    var isWithinFirstSync: Bool { horizon > position }

    /// The cursor as on the wire.
    var text: String { Base64URL.encode("\(epoch).\(position).\(horizon)".utf8) }

    /// Whether it is of use for a space in this state.
    ///
    /// - Parameter shared: the version up to which the space is as it was in the cursor's epoch, if that has ended.
    func validity(epoch: String, space: SpaceRow, shared: Int64? = nil) -> Validity {
        // A cursor from the future means that a database was restored without being marked; to which state isn't
        // known.
        if epoch != self.epoch || horizon > space.version { return .epochChanged(shared: shared ?? 0) }
        return horizon < space.tombstoneFloor ? .expired : .valid
    }

    /// As above, for a space as it is stored.
    func validity(in space: SpaceRow, _ store: any StoreReading) throws -> Validity {
        let present = try store.epoch()
        let shared = present == epoch ? nil : try store.shared(since: epoch, in: space.id)
        return validity(epoch: present, space: space, shared: shared)
    }

    /// Whether a cursor is of use.
    enum Validity: Sendable, Equatable {
        case valid
        /// Tombstones after it may be gone.
        case expired
        /// It is of another epoch, or from the future; up to `shared` the space is as the cursor's holder knows it.
        case epochChanged(shared: Int64)
    }
}

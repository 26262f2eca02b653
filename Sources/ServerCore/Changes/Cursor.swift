internal import Records

/// A place in a space's changes, opaque to clients (PROTOCOL.md, "Changes").
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

    /// The cursor as on the wire.
    var text: String { Base64URL.encode("\(epoch).\(position).\(horizon)".utf8) }

    /// Whether it is of use for a space in this state.
    func standing(epoch: String, space: SpaceState) -> Standing {
        if epoch != self.epoch || position > space.version || horizon > space.version { return .epochChanged }
        return horizon < space.tombstoneFloor ? .expired : .valid
    }

    /// Whether a cursor is of use.
    enum Standing: Sendable {
        case valid
        /// Tombstones after it may be gone.
        case expired
        /// It is of another epoch, or from the future.
        case epochChanged
    }
}

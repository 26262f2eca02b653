public import Records

/// An edit of a command, before it is stored.
public struct PlannedEdit: Sendable, Equatable {
    /// The key of the record.
    public let key: RecordKey
    /// The fields before the edit; nil: the record doesn't exist or is deleted.
    public let before: JSONObject?
    /// The fields after the edit; nil: it deletes the record.
    public var after: JSONObject?

    /// Creates an edit.
    public init(_ key: RecordKey, before: JSONObject?, after: JSONObject?) {
        (self.key, self.before, self.after) = (key, before, after)
    }
}

/// Reviews the edits of commands before they are stored. It may refuse or change them.
///
/// Imports, undoing, redoing and received changes aren't reviewed: they store states that already exist elsewhere.
public protocol EditReviewer: Sendable {
    /// Whether it currently reviews edits. If not, a command is stored at once.
    var isActive: Bool { get }
    /// What a user can do to store an edit that it refuses: a sentence.
    var advice: String { get }

    /// Reviews the edits of one command. No transaction and no lock is held meanwhile, so it may take long, and other
    /// processes may change the records. In that case the edits are computed and reviewed again.
    ///
    /// - Returns: The same edits, some with other fields in `after`. A deletion can't be changed.
    /// - Throws: ``RefusedEdit``; nothing of the command is stored.
    func review(_ edits: [PlannedEdit]) async throws -> [PlannedEdit]
}

/// The refusal of a command by an ``EditReviewer``. Nothing was changed.
public struct RefusedEdit: Error, Sendable, Equatable {
    /// The message for the user: the reason, and what to do.
    public let message: String

    /// Creates a refusal.
    ///
    /// - Parameters:
    ///   - reason: Who refused the edit and why: a sentence.
    ///   - advice: What the user can do: a sentence.
    public init(_ reason: String, advice: String) { message = "\(reason) Nothing was changed. \(advice)" }
}

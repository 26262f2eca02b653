public import Foundation

/// What a backup holds.
public struct BackupReport: Sendable, Equatable, CustomStringConvertible {
    /// The file's size.
    public var bytes: Int64
    /// How many accounts there are.
    public var accounts: Int64
    /// How many live records all spaces have together.
    public var records: Int64

    /// For a person: how much it is.
    public var description: String {
        let size = bytes.formatted(.byteCount(style: .file))
        return "\(records) record\(records == 1 ? "" : "s") of \(accounts) account\(accounts == 1 ? "" : "s"), \(size)"
    }
}

/// What came of a restore.
public struct RestoreReport: Sendable, Equatable {
    /// What the database holds now.
    public var restored: BackupReport
    /// Where the database lies that was there before; nil if there was none.
    public var putAside: URL?
}

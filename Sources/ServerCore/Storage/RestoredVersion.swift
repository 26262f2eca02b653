/// How a space's versions go on after a restore: max(version + 2^32, unix seconds × 2^20), so that no number is handed
/// out twice, however often one backup is restored (SyncAPI.docc/Protocol.md, "Data").
public enum RestoredVersion {
    /// By how much a version is raised at least: more changes than a space sees between two restores.
    public static let step: Int64 = 1 << 32

    /// The smallest version after a restore at a given time; it grows by 2^20 a second and stays a safe integer (RFC
    /// 7493) for centuries.
    ///
    /// - Parameter now: milliseconds since 1970.
    public static func least(now: Int64) -> Int64 { max(0, now / 1_000) << 20 }
}

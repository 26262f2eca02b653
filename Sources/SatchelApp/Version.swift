/// The version of the client.
public enum Version {
    /// The number, as `--version` prints it.
    public static let number = "0.1.0"
    /// The day that it is of: ISO 8601.
    public static let day = "2026-11-21"
}

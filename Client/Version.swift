/// The version of the client.
enum Version {
    static let number = "0.1.0"
    /// The day that it is of: ISO 8601.
    static let day = "2026-11-21"
}

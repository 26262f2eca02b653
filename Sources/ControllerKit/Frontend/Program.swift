/// What a program calls itself, wherever a person reads or types it: in messages, scripts, manual pages and file names.
public struct Program: Sendable, Equatable {
    /// What people call it: `Shelf`.
    public let name: String
    /// How it is started: `shelf`.
    public let command: String
    /// The version, as `--version` prints it.
    public let version: String
    /// The day of the version, ISO 8601.
    public let day: String
    /// The manual pages to read next: `editrc(5)`.
    public let related: [String]

    /// A program.
    public init(name: String, command: String, version: String, day: String = "", related: [String] = []) {
        (self.name, self.command, self.version, self.day) = (name, command, version, day)
        self.related = related
    }
}

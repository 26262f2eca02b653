/// The error for a wrong setting, with a message for the person who starts the server.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

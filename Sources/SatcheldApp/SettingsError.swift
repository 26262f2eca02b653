/// The error for a wrong setting, with a message for the person who starts the server.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The error for a flag with a wrong value that the parser of the command line doesn't check, with a message for the
/// person who typed it.
struct CommandLineError: Error, CustomStringConvertible {
    let description: String
}

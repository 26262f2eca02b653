/// The error for a wrong setting, with a message for the person who starts the server.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The error for a wrong value of a flag that the parser of the command line accepts, with a message for the person who
/// typed it. The process ends with the exit code for a wrong command line.
struct CommandLineError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

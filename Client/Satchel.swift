import SatchelApp

/// Satchel's client.
@main
struct Satchel: ClientMain {
    static let client = ClientProgram.satchel
}

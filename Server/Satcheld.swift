import SatcheldApp

/// The process of the server.
@main
enum Main {
    static func main() async { await Satcheld.main() }
}

import SatcheldApp

/// The server's process.
@main
enum Main {
    static func main() async { await Satcheld.main() }
}

/// A request to the page, independent of the HTTP library.
struct PageRequest: Sendable {
    var method: String
    /// Without the query.
    var path: String
    var query: Parameters
    /// By their names in lower case; of several with one name the last.
    var headers: [String: String] = [:]
    /// The value of a cookie.
    var cookie: @Sendable (_ name: String) -> String? = { _ in nil }
    /// Reads the body; nil when it is longer than this number of bytes.
    var body: @Sendable (_ limit: Int) async throws -> [UInt8]? = { _ in [] }
}

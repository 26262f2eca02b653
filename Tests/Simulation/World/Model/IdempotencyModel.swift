import Backend
import Records
import SyncAPI

/// Remembers what came of each idempotency key, and notices when one was carried out twice.
struct IdempotencyModel {
    private var outcomes: [String: [String]] = [:]

    /// Notes an answer; what is wrong with it, if anything is.
    mutating func note(_ request: HTTPRequest, _ response: HTTPResponse) -> String? {
        guard let key = request.header(Header.idempotencyKey), response.head.status == 200,
            let results = (try? JSONValue(parsing: response.body))?.object?["results"]?.array
        else { return nil }
        let outcome = results.map { result in
            let version = result.object?["version"]?.integer.map(String.init) ?? ""
            return (result.object?["status"]?.string ?? "") + version
        }
        defer { outcomes[key] = outcome }
        guard let known = outcomes[key], known != outcome else { return nil }
        return "the key \(key) brought \(known) first and \(outcome) then"
    }
}

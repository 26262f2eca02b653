public import Foundation
internal import SyncAPI

/// A successful answer, its body as it came: pages of records go into the cache without being decoded.
public struct BackendAnswer: Sendable {
    /// Status and headers.
    public var head: HTTPHead
    /// JSON text, decompressed.
    public var body: [UInt8]

    public init(head: HTTPHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    /// The server's clock when it answered, to find out by how much one's own is wrong; to the second.
    public var date: Date? { head.date }
}

extension BackendAnswer {
    /// The answer, if it says that it is JSON: what isn't comes from something else than the server (a portal, a proxy).
    func json() throws(BackendError) -> BackendAnswer {
        let type = head.header("Content-Type") ?? "no media type"
        guard type.lowercased().hasPrefix("application/json") else {
            throw .malformedAnswer("status \(head.status) with \(type) instead of JSON")
        }
        return self
    }

    /// Reads a small answer.
    func decoded<Value: Decodable>(_ type: Value.Type) throws(BackendError) -> Value {
        do {
            return try JSONBody.decode(type, from: json().body)
        } catch let error as BackendError {
            throw error
        } catch {
            throw .malformedAnswer("\(type): \(error)")
        }
    }
}

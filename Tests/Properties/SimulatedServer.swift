import Backend
import FoundationEssentials
import Records
import SyncAPI
import TestSupport

/// A server that devices of a simulation talk to, in process.
protocol SimulatedServer: Sendable {
    /// Carries requests to it.
    var transport: any HTTPTransport { get }
    /// The digest that it has, counted from scratch.
    func digest() async throws -> SpaceDigest
}

/// The model behind the transport's contract.
final class ModelTransport: HTTPTransport, SimulatedServer {
    let model: Locked<ModelServer>

    init(_ model: ModelServer) { self.model = Locked(model) }

    var transport: any HTTPTransport { self }

    func digest() async throws -> SpaceDigest { model.withLock(\.digest) }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        model.withLock { model in
            let date = Self.httpDate(milliseconds: model.now)
            do throws(Problem) {
                let json = try Self.answer(request, &model)
                return .json(json.text, headers: [("Date", date)])
            } catch {
                let headers = [("Content-Type", Problem.mediaType), ("Date", date)]
                return HTTPResponse(status: error.status, headers: headers, body: Array(error.json.text.utf8))
            }
        }
    }

    func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream {
        throw TransportError(.protocolViolation, detail: "the model has no streams")
    }

    private static func answer(_ request: HTTPRequest, _ model: inout ModelServer) throws(Problem) -> JSONValue {
        guard request.method == "POST" else { return try model.pull(since: query("since", of: request.target)) }
        return try model.push(
            request.bodyText, key: request.header(Header.idempotencyKey) ?? "", device: request.bearerToken ?? "")
    }

    private static func query(_ name: String, of target: String) -> String? {
        target.split(separator: "?").dropFirst().first?.split(separator: "&").lazy
            .map { $0.split(separator: "=", maxSplits: 1) }.first { $0[0] == name }.map { String($0[1]) }
    }

    /// An IMF-fixdate (RFC 9110, 5.6.7).
    private static func httpDate(milliseconds: Int64) -> String {
        let parts = Date(timeIntervalSince1970: Double(milliseconds / 1_000)).formatted(.iso8601)
        let (day, time) = (parts.prefix(10).split(separator: "-"), parts.dropFirst(11).prefix(8))
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "Sat, \(day[2]) \(months[(Int(day[1]) ?? 1) - 1]) \(day[0]) \(time) GMT"
    }
}

import Foundation
import SyncAPI

extension Wire {
    /// Sends a call that is answered by a session.
    func grant(_ call: Call, from server: Destination) async throws(BackendError) -> Credentials {
        let answer = try await send(call, to: server)
        return Credentials(
            grant: try answer.decoded(SessionGrant.self), from: server, date: answer.date, now: now())
    }

    /// Exchanges a refresh token for a session with both tokens new.
    func refresh(_ token: String, at server: Destination) async throws(BackendError) -> Credentials {
        try await grant(
            Call(endpoint: OpenRoute.refresh, body: json(RefreshRequest(refreshToken: token))), from: server)
    }
}

/// The JSON text of a small request.
func json(_ value: some Encodable) throws(BackendError) -> [UInt8] {
    do { return try JSONBody.encode(value) } catch {
        throw .malformedAnswer("can't write the request: \(error)")
    }
}

extension BackendError {
    /// Maps what a credential store throws, or passes on what was thrown under its lock.
    init(store error: any Error) {
        switch error {
        case let error as BackendError: self = error
        case is CancellationError: self = .transport(TransportError(.cancelled))
        default: self = .credentialStore("\(error)")
        }
    }
}

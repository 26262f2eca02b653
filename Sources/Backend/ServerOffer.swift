internal import Foundation
public import SyncAPI

/// What a server announces at `GET /v1/`, as far as a client uses it.
///
/// A member that is missing, or has a form that this version doesn't know, is nil, and unknown members are ignored: the
/// server may be older or newer than the client.
public struct ServerOffer: Sendable, Equatable, Codable {
    /// The name of the software.
    public var name: String?
    /// The versions of the protocol that the server supports; nil: only version 1, since it was asked below `/v1/`.
    public var protocols: [Int]?
    /// The names of the supported parts of the protocol that are not required, see `Capability`; a newer server may have
    /// others.
    public var capabilities: [String]?
    /// The rule about who may create an account.
    public var registration: Capabilities.Registration?
    /// The limits of requests to this server.
    public var limits: Capabilities.Limits?

    private enum CodingKeys: String, CodingKey {
        case name, protocols, capabilities, registration, limits
    }

    /// Creates the offer of a server that announces nothing.
    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // Of another form: see the type.
        name = try? container.decodeIfPresent(String.self, forKey: .name)
        protocols = try? container.decodeIfPresent([Int].self, forKey: .protocols)
        capabilities = try? container.decodeIfPresent([String].self, forKey: .capabilities)
        registration = try? container.decodeIfPresent(Capabilities.Registration.self, forKey: .registration)
        limits = try? container.decodeIfPresent(Capabilities.Limits.self, forKey: .limits)
    }

    /// Returns the highest version of the protocol that both sides support; nil: none.
    ///
    /// - Parameter own: The versions that the client supports.
    public func commonProtocol(with own: [Int] = Capabilities.protocols) -> Int? {
        Set(protocols ?? [1]).intersection(own).max()
    }

    /// Returns whether the server has a part of the protocol; nil: it doesn't announce its parts.
    public func supports(_ capability: Capability) -> Bool? { capabilities?.contains(capability.rawValue) }
}

extension BackendClient {
    /// Asks a server what it is and can do (`GET /v1/`), and checks that both sides support a version of the protocol.
    /// Needs no session. A server that has no answer to the question is one that announces nothing.
    ///
    /// - Parameter insecureHTTP: Whether the user accepts plain http to another machine; otherwise it is refused.
    /// - Throws: `BackendError.incompatible` if there is no common version.
    public func negotiate(
        with server: ServerAddress, insecureHTTP: Bool = false
    ) async throws(BackendError) -> ServerOffer {
        let destination = try Destination(server, insecureHTTP: insecureHTTP)
        let offer: ServerOffer
        do {
            offer = try await wire.send(Call(endpoint: OpenRoute.capabilities), to: destination)
                .decoded(ServerOffer.self)
        } catch {
            switch error {
            case .problem(let problem, _) where [404, 405].contains(problem.status): return ServerOffer()
            // The request that follows is answered in the same way, and reports it.
            case .malformedAnswer: return ServerOffer()
            default: throw error
            }
        }
        guard offer.commonProtocol() == nil else { return offer }
        let isNewer = (offer.protocols?.max() ?? 0) > (Capabilities.protocols.max() ?? 0)
        throw .incompatible(server, isNewer: isNewer)
    }

    /// Asks the session's server what it is and can do, as `negotiate` does.
    public func offer() async throws(BackendError) -> ServerOffer {
        guard let identity = try await session.status().identity else { throw .signedOut(nil) }
        return try await negotiate(with: identity.server, insecureHTTP: identity.insecureHTTP)
    }

    /// Returns the error for an endpoint that the server seems not to know: it has no common version of the protocol with
    /// the client any more, or lacks this part of it. Otherwise the server's own problem.
    ///
    /// The server is asked only now, since it may have been replaced by an older or a newer one at any time.
    func explanation(
        of problem: Problem, retryAfter: Duration?, at endpoint: any Endpoint
    ) async -> BackendError {
        let refusal = BackendError.problem(problem, retryAfter: retryAfter)
        let offer: ServerOffer
        do { offer = try await self.offer() } catch {
            // Any other error has nothing to do with the refused request.
            if case .incompatible = error { return error }
            return refusal
        }
        guard let route = endpoint as? AuthenticatedRoute, let capability = route.capability else { return refusal }
        // An old server doesn't announce all of its parts. A problem document at a path without values can't be about a
        // record or a device.
        let isSupported = offer.supports(capability) ?? !(problem.isDocument && route.kindAndValues.values.isEmpty)
        guard !isSupported, let server = try? await session.status().identity?.server else { return refusal }
        return .unsupported(server, capability)
    }
}

extension Problem {
    /// Whether the server may not know the endpoint: another version of it may.
    var mayMeanUnknownEndpoint: Bool { [404, 405, 501].contains(status) }
}

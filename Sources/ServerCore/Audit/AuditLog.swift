package import Logging

/// Writes security events to the log, one line each, for people and for fail2ban (`Server/fail2ban`).
///
/// A line has the fields `event`, `request` (the request's id), `address` (the client's), `account`, `user` and `device`,
/// those that are known. No line contains a password, a token or a code.
package struct AuditLog: Sendable {
    private let logger: Logger
    private let counted: @Sendable (AuditEvent) -> Void

    /// - Parameters:
    ///   - logger: The destination. Its level doesn't suppress security events.
    ///   - counted: Called for each event.
    package init(_ logger: Logger, counted: @escaping @Sendable (AuditEvent) -> Void = { _ in }) {
        var logger = logger
        logger.logLevel = min(logger.logLevel, .info)
        self.logger = logger
        self.counted = counted
    }

    /// Writes an event that no request has caused.
    package func record(_ event: AuditEvent) { record(event, origin: [:]) }

    /// Writes an event of a request.
    func record(_ event: AuditEvent, from origin: RequestOrigin) {
        record(event, origin: ["request": "\(origin.requestID)", "address": "\(origin.address)"])
    }

    /// Runs an operation, and writes its refusal, if it is refused.
    ///
    /// - Throws: What `body` throws.
    func attempt<Result>(
        _ attempt: AuditedAttempt, by subject: AuditSubject, from origin: RequestOrigin,
        _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch {
            if let event = attempt.refusal(error, of: subject) { record(event, from: origin) }
            throw error
        }
    }

    private func record(_ event: AuditEvent, origin: Logger.Metadata) {
        counted(event)
        let fields: Logger.Metadata = ["event": "\(event.name.rawValue)"]
        logger.log(
            level: event.name.level, "\(event.name.message)",
            metadata: fields.merging(origin) { $1 }.merging(event.subject.fields) { $1 }.merging(event.details) { $1 })
    }
}

public import ControllerKit

/// A verb that assistants may use: an entry of a program's allow-list. A verb that is not listed is not a tool.
public struct ToolGrant: Sendable {
    let verb: String
    let hidden: Set<String>
    let records: Set<String>
    let page: String?
    let asks: Bool

    /// Grants a verb.
    ///
    /// - Parameters:
    ///   - hidden: The arguments that are not offered, and refused.
    ///   - records: The text arguments that name records; arguments of the kind `record` always do.
    ///   - page: The argument that says how many rows a list has; it is bounded.
    ///   - asks: Whether the person is asked before each call. A destructive verb, and one that changes several records, asks in
    ///     any case.
    public init(
        _ verb: String, without hidden: Set<String> = [], records: Set<String> = [], page: String? = nil,
        asks: Bool = false
    ) { (self.verb, self.hidden, self.records, self.page, self.asks) = (verb, hidden, records, page, asks) }
}

/// Finds what a call of a verb concerns: the records that have exactly these ids, deleted ones included, or what else a person
/// must know to decide about it, without an id. A record that does not exist is left out.
public typealias CallSubjects = @Sendable (VerbSignature, _ ids: [String]) async throws -> [CallSubject]
/// Something that a call concerns.
public typealias CallSubject = (id: String?, title: String)

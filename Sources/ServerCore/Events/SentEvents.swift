internal import NIOConcurrencyHelpers

/// The last events of each account, as text: most of its streams have the same state, so they share it.
final class SentEvents: Sendable {
    private let last = NIOLockedValueBox<[String: Sent]>([:])

    /// The number of accounts whose last events are kept.
    private static let limit = 256

    private struct Sent {
        let known: EventSnapshot?
        let present: EventSnapshot
        let text: String
    }

    /// Returns the events for a stream of an account that knows `known`, as text; empty if there are none.
    func text(of present: EventSnapshot, since known: EventSnapshot?, for account: String) -> String {
        let sent = last.withLockedValue { $0[account] }
        if let sent, sent.present == present, sent.known == known { return sent.text }
        let text = present.text(since: known)
        last.withLockedValue { last in
            if last.count >= Self.limit { last = [:] }
            last[account] = Sent(known: known, present: present, text: text)
        }
        return text
    }
}

/// What a run found wrong.
package struct Fault: Sendable, Equatable, CustomStringConvertible {
    /// Which of the things that must be true isn't.
    package let kind: Kind
    /// What exactly, with the names of the run.
    package let description: String

    /// The things that must be true (SyncAPI.docc/Protocol.md, "Invariants").
    package enum Kind: String, Sendable {
        /// Invariant 1: a word is gone that nobody removed who saw it.
        case lostEdit = "lost edit"
        /// Invariant 2: one idempotency key brought two outcomes.
        case doneTwice = "done twice"
        /// Invariants 3 and 4: two that are in sync hold different records.
        case divergence
        /// Invariant 4: a digest isn't that of what is held.
        case wrongDigest = "wrong digest"
        /// Invariant 6: somebody sees another account's words.
        case strangeWord = "strange word"
        /// Invariant 8: something fails, or never ends, without a reason.
        case deadEnd = "dead end"
        /// A session at the prompt doesn't have the edits that other devices sent long ago.
        case notLive = "not live"
        /// Something is left to send although all is well.
        case unsent
        /// Two edits are told as a conflict of which the later one's author had seen the earlier one.
        case falseConflict = "false conflict"
        /// A conflict names the later edit as the earlier one.
        case wrongOrder = "wrong order"
        /// What somebody took away for good is back.
        case comeback
        /// A task that repeats was done and doesn't come again, or twice.
        case brokenSeries = "broken series"
        /// The server has a clock that was ahead of its own when it came.
        case futureClock = "clock from the future"
    }
}

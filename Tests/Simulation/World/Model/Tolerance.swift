import Backend
import LocalStore
import SyncAPI
import SyncEngine

extension Schedule {
    /// Why an error is not allowed in this schedule; nil: its faults explain it.
    func objection(to error: any Error) -> String? {
        switch error {
        case let error as BackendError: objection(to: error)
        case is LocalStoreError, SyncFailure.diskFull: hasDeviceFaults ? nil : "\(error)"
        // A lock can be held for as long as unanswered requests take.
        case SyncFailure.busyElsewhere: delays ? nil : "\(error)"
        case SyncFailure.noAccount: homes == .fresh ? nil : "\(error)"
        case is MalformedAnswer: has(.garbled) ? nil : "\(error)"
        default: "\(error)"
        }
    }

    private func objection(to error: BackendError) -> String? {
        switch error {
        case .transport: nil
        case .signedOut: endsSessions || homes == .fresh ? nil : error.diagnostic
        case .malformedAnswer: has(.garbled) ? nil : error.diagnostic
        case .problem(let problem, _) where problem.status >= 500: hasServerFaults ? nil : error.diagnostic
        case .problem(let problem, _) where problem.status == 409: overlaps ? nil : error.diagnostic
        // A session ended during a request: revoked, lost in a restore, refreshed twice. The next sync reports it, and
        // settling shows that a sign-in repairs it.
        case .problem(let problem, _) where problem.code == .tokenInvalid: nil
        // The reason is in the half that didn't arrive.
        case .problem(let problem, _) where problem.code.rawValue.hasPrefix("http-"):
            has(.garbled) ? nil : error.diagnostic
        case .credentialStore: delays ? nil : error.diagnostic
        case .diskFull: hasDeviceFaults ? nil : error.diagnostic
        case .problem, .insecureServer, .incompatible, .unsupported, .damagedSession, .tokensLeft: error.diagnostic
        }
    }

    /// Whether something ends a session: another device, a second copy of a refresh or of what used its tokens, time,
    /// an older state of the server, or a sign-in whose answer was lost.
    private var endsSessions: Bool {
        if has(.doubled) || has(.late) { return true }
        return steps.contains { step in
            switch step.action {
            case .revoke, .logIn, .logOut, .restore, .clock(.server, _): true
            case .wait(let duration): duration > 80 * 86_400_000
            default: false
            }
        }
    }

    /// Whether two copies of one request may be under way at once. Where transactions take time, a process of a device
    /// may repeat a request that its killed predecessor has just sent.
    private var overlaps: Bool { has(.doubled) || has(.late) || serverProcesses > 1 && hasDeviceFaults }

    /// Whether a process may hold a lock for long.
    private var delays: Bool { has(.unanswered) || has(.doubled) || has(.late) }

    private func has(_ fate: Fate.Kind) -> Bool {
        steps.contains { step in
            switch step.action {
            case .sync(_, let fates), .disturb(_, let fates): fates.contains { $0.kind == fate }
            default: false
            }
        }
    }

    private var hasServerFaults: Bool { troubled.contains(.server) }
    private var hasDeviceFaults: Bool { troubled.contains { $0 != .server } }

    /// Machines whose disk fails or loses its power at some time.
    private var troubled: Set<Machine> {
        Set(
            steps.compactMap { step in
                switch step.action {
                case .fail(let machine, _, _, _), .cutPower(let machine, _), .kill(let machine, _): machine
                default: nil
                }
            })
    }
}

/// A fault found by a run.
package struct Fault: Sendable, Equatable, CustomStringConvertible {
    /// The violated invariant.
    package let kind: Kind
    /// Details, with the names of the run.
    package let description: String

    /// The invariants (SyncAPI.docc/Protocol.md, "Invariants").
    package enum Kind: String, Sendable {
        /// Invariant 1: a word is missing that no edit removed whose author had seen it.
        case lostEdit = "lost edit"
        /// Invariant 2: one idempotency key had two outcomes.
        case doneTwice = "done twice"
        /// Invariants 3 and 4: two devices in sync hold different records.
        case divergence
        /// Invariant 4: a digest doesn't match the records.
        case wrongDigest = "wrong digest"
        /// Invariant 6: an account's words are visible to another account.
        case strangeWord = "strange word"
        /// Invariant 8: something fails, or never ends, without a reason.
        case deadEnd = "dead end"
        /// A session at the prompt doesn't have the edits that other devices sent long ago.
        case notLive = "not live"
        /// A live stream hasn't reported what its process knows, or at its heartbeat what is stored, or is open after its
        /// session.
        case staleStream = "stale stream"
        /// Something is left to send although there are no faults.
        case unsent
        /// Two edits are reported as a conflict although the later one's author had seen the earlier one.
        case falseConflict = "false conflict"
        /// A conflict names the later edit as the earlier one.
        case wrongOrder = "wrong order"
        /// Something that was removed has returned.
        case comeback
        /// A repeating task was completed and has no next instance, or two.
        case brokenSeries = "broken series"
        /// The server has a clock that was ahead of its own when it arrived.
        case futureClock = "clock from the future"
    }
}

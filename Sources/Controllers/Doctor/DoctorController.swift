internal import Backend
public import ControllerKit
internal import Foundation
internal import LocalStore
public import Notebook
internal import Records
public import SyncEngine

/// Checks the home, reports faults, and repairs them on request.
public final class DoctorController: Controller {
    public typealias Screen = DoctorScreen
    public let model = Model(DoctorScreen.State())
    private let notebook: Notebook
    private let engine: SyncEngine
    private let sync: HomeSync
    private let hooks: Hooks?

    /// Creates a controller.
    public init(_ notebook: Notebook, engine: SyncEngine, sync: HomeSync, hooks: Hooks? = nil) {
        (self.notebook, self.engine, self.sync, self.hooks) = (notebook, engine, sync, hooks)
    }

    private var store: LocalStore { notebook.store }

    /// The maximum number of differing records in a state.
    nonisolated static let listedDifferences = 50

    public func handle(_ intent: DoctorScreen.Intent) async throws {
        state = DoctorScreen.State()
        state.isChecking = true
        defer { state.isChecking = false }
        switch intent {
        case .check(let deep):
            let findings = try await check(deep: deep)
            state.notice =
                state.isWell ? findings.summary(ifWell: "No faults found.") : "Faults found; nothing was changed."
        case .repair(let deep): try await repair(deep: deep)
        case .salvage(let file): try await salvage(file)
        }
    }

    /// The findings of one round of checks.
    private struct Findings {
        var faults: [CacheFault] = []
        var exposed: [Home.ExposedFile] = []
        var agreement: DigestCheck.Agreement?
        var comparison: CacheComparison?
        /// False: a request to the server failed.
        var couldAsk = true

        /// The message if there are no faults. It claims nothing about a server that couldn't be reached.
        func summary(ifWell wellness: String) -> String {
            couldAsk ? wellness : "No faults found here; the server couldn't be reached."
        }

        /// Whether a full read is necessary. A record that is too large doesn't need one, since it can't be received.
        var wantsReading: Bool {
            agreement == .different || comparison?.differences.contains { $0.kind != .tooLarge } == true
                || faults.contains { $0.kind.repair == .reading }
        }
    }
}

// MARK: - Checking

extension DoctorController {
    @discardableResult
    private func check(deep: Bool) async throws -> Findings {
        state.checks = []
        var findings = Findings(faults: try await store.faults())
        state.checks = DoctorScreen.State.Check.cache(findings.faults)
        if let home = store.home {
            findings.exposed = home.exposedFiles()
            state.checks.append(.home(findings.exposed))
            if let writing = DoctorScreen.State.Check.writing(store.obstacle) { state.checks.append(writing) }
            if let putAside = DoctorScreen.State.Check.putAside(home.filesPutAside()) { state.checks.append(putAside) }
        }
        if let hooks = DoctorScreen.State.Check.hooks(hooks) { state.checks.append(hooks) }
        try await checkServer(deep: deep, &findings)
        let problem = try await sync.status().failure
        if let serverDisk = DoctorScreen.State.Check.serverDisk(problem) { state.checks.append(serverDisk) }
        state.isWell = state.checks.allSatisfy { $0.verdict == .ok || $0.verdict == .skipped }
        return findings
    }

    private func checkServer(deep: Bool, _ findings: inout Findings) async throws {
        let status: Result<SessionStatus, BackendError>
        do throws(BackendError) {
            // With the tokens: a locked keyring is a finding.
            status = .success(try await sync.checkedSession())
        } catch { status = .failure(error) }
        state.checks.append(.session(status))
        // If parts of the cache can't be read, a comparison with the server would prove nothing.
        guard case .success(.active) = status, !findings.faults.contains(where: { $0.kind.repair == .rebuilding })
        else {
            return
        }
        do {
            let comparison = try await engine.checkDigest()
            findings.agreement = comparison.agreement
            state.checks.append(
                .clock(
                    here: UInt64(max(0, notebook.now().timeIntervalSince1970 * 1_000)), server: comparison.serverTime))
            state.checks.append(.server(comparison.agreement))
            guard deep else { return }
            findings.comparison = try await showing(\.progress) { [engine] show in
                try await engine.compare { show(WorkProgress($0)) }
            }
            state.checks.append(.compare(findings.comparison))
            try await show(findings.comparison?.differences ?? [])
        } catch let error as CancellationError {
            throw error
        } catch {
            findings.couldAsk = false
            state.checks.append(.unasked(error))
        }
    }

    private func show(_ differences: [CacheComparison.Difference]) async throws {
        state.differing = differences.count
        let first = Array(differences.prefix(Self.listedDifferences))
        state.differences = try await notebook.read { records in
            try first.map { difference in
                DoctorScreen.State.Difference(
                    id: difference.key.id, collection: difference.key.collection,
                    title: try records.record(difference.key)?[.title], kind: .init(difference.kind))
            }
        }
    }
}

// MARK: - Repair

extension DoctorController {
    private func repair(deep: Bool) async throws {
        let findings = try await check(deep: deep)
        var done = try await repair(findings)
        let wantsSync = findings.wantsReading || findings.faults.contains { $0.kind.repair == .rebuilding }
        if wantsSync { done += try await readAgain() }
        let later = try await check(deep: deep)
        let wellness = done.isEmpty ? "No faults found; nothing to repair." : "All faults are repaired."
        let outcome = state.isWell ? later.summary(ifWell: wellness) : "Some faults remain."
        state.notice = (done + [outcome]).joined(separator: " ")
    }

    /// Repairs what can be repaired without the server.
    ///
    /// - Returns: A sentence for each repair.
    private func repair(_ findings: Findings) async throws -> [String] {
        var done: [String] = []
        if !findings.exposed.isEmpty, let home = store.home {
            try home.protect(findings.exposed)
            done.append("Other users can't read or write the home now.")
        }
        if findings.faults.contains(where: { $0.kind.repair == .rebuilding }) {
            try await store.rebuild(since: findings.faults)
            if let notice = try await store.removeNotice() { done.append(notice) }
        } else if !findings.faults.isEmpty {
            let copy = try await store.repair(findings.faults)
            done.append("Repaired the cache.")
            if let copy { done.append("A copy from before the repair is in \(copy.path).") }
        }
        return done
    }

    /// Reads everything from the server again. If that fails, the next sync does it.
    ///
    /// - Returns: A sentence about the result; none without an account.
    private func readAgain() async throws -> [String] {
        // Stored before the sync, so that a failed or interrupted read is made up for by the next sync.
        guard try await engine.requestFullRead() else { return [] }
        do {
            _ = try await showing(\.progress, during: sync.sync)
            return ["Read everything from the server again."]
        } catch let error as CancellationError {
            throw error
        } catch {
            return ["Reading from the server failed; the next `sync` reads everything again: \(Failure(error).message)"]
        }
    }

    private func salvage(_ path: String) async throws {
        let salvage = try await store.salvage(URL(fileURLWithPath: path))
        let count = try await engine.merge(salvage)
        // After the merge, so that the checks include the recovered edits.
        try await check(deep: false)
        let explanation =
            count == 0
            ? "All of them already existed here." : "\(count) of them were missing here, and are unsent edits now."
        state.notice = salvage.count == 0 ? salvage.summary : "\(salvage.summary) \(explanation)"
    }
}

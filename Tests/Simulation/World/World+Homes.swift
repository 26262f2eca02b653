import Backend
import Controllers
import LocalStore
import Records
import SyncEngine

// The users' actions on the processes of a home.
extension World {
    /// The user syncs.
    func sync(_ device: Device, _ step: Step, _ fates: [Fate]) {
        guard let process = idleProcess(of: device, at: step.terminal) else { return }
        record("\(device.name) begins to sync")
        device.decide(fates)
        device.countRequests()
        let service = process.services.syncService
        process.start {
            try await service.sync(waiting: true)
        } ended: { [self] result in
            record("\(device.name) \(result.summary)")
            watch(result, of: device)
            device.release(process)
        }
    }

    func revoke(_ device: Device, by other: Device, _ step: Step) {
        guard device !== other, let process = idleProcess(of: other, at: step.terminal) else { return }
        let (backend, id) = (process.backend, device.name)
        other.decide([])
        process.start {
            try await backend.revokeDevice(id: id)
        } ended: { [self] result in
            record("\(other.name) \((try? result.get()) == nil ? "couldn't sign" : "signed") \(id) out")
            other.release(process)
        }
    }

    /// The user signs in, again if already signed in.
    func logIn(_ device: Device, at terminal: Int) {
        guard let process = idleProcess(of: device, at: terminal) else { return }
        device.decide([])
        process.start {
            try await process.signIn(device.account, as: device.name, isNew: device.account == Template.newAccount)
        } ended: { [self] result in
            record("\(device.name) \(result.summary) after signing in")
            device.release(process)
        }
    }

    func logOut(_ device: Device, _ step: Step) {
        guard let process = idleProcess(of: device, at: step.terminal) else { return }
        let backend = process.backend
        process.start {
            try await backend.logOut()
        } ended: { [self] result in
            record("\(device.name) \(result.summary) after signing out")
            device.release(process)
        }
    }

    /// The process that the user uses at a terminal, if none of its operations is running.
    private func idleProcess(of device: Device, at terminal: Int) -> ClientProcess? {
        guard let process = try? device.process(at: terminal) else {
            device.noticeCut()
            return nil
        }
        return process.isBusy ? nil : process
    }

    // MARK: Sessions at the prompt

    func openPrompt(_ device: Device, _ step: Step) {
        guard device.use == .shared, !device.processes.contains(where: { $0.kind.terminal == step.terminal }) else {
            return
        }
        guard let process = try? device.start(.prompt(terminal: step.terminal)) else { return }
        record("\(device.name) opens a prompt at terminal \(step.terminal)")
        process.beginAutomaticSync()
    }

    func quitPrompt(_ device: Device, at terminal: Int) {
        guard let process = device.processes.first(where: { $0.kind == .prompt(terminal: terminal) }), !process.isBusy
        else { return }
        process.start {
            await process.endAutomaticSync()
        } ended: { [self] _ in
            record("\(device.name) has left the prompt at terminal \(terminal)")
            device.exit(process)
        }
    }
}

// MARK: - Liveness

extension World {
    /// The limit, in milliseconds, within which every waiting operation must have made progress once network and server
    /// work again: the longest pause between two tries, a request that is never answered, and a margin.
    private static let patience: Int64 = 420_000
    /// The limit, in milliseconds, for a sync that the user requests then, and for ending a session at the prompt.
    private static let promptness: Int64 = 60_000
    /// The limit, in milliseconds, within which a session at the prompt receives the edits of other devices, even if
    /// its stream is interrupted.
    private static let liveliness: Int64 = 70_000

    /// Checks that all processes of shared homes become idle once the faults have ended, and ends them.
    func settleHomes() {
        loop.run(for: Self.patience)
        for device in devices {
            for process in device.processes {
                if process.isBusy { find(.deadEnd, "\(device.name)'s \(process.kind) still waits") }
                look(at: process, of: device)
            }
        }
        // First those without a live session: the others must receive their edits without a user's request.
        for device in devices where faults.isEmpty && !isLive(device) { probe(device, isLive: false) }
        loop.run(for: Self.liveliness)
        for device in devices where faults.isEmpty && isLive(device) { probe(device, isLive: true) }
        for device in devices where faults.isEmpty { quitAll(device) }
    }

    /// Checks that a signed-in session at the prompt has sent everything and is idle.
    private func look(at process: ClientProcess, of device: Device) {
        guard process.kind.isPrompt else { return }
        if process.automaticState.isSyncing {
            find(.deadEnd, "\(device.name)'s \(process.kind) is still syncing without faults")
        }
        guard device.credentials?.tokens != nil, let unsent = try? process.store.readNow({ try $0.outbox.unsent() })
        else {
            return
        }
        if unsent.records > unsent.refused {
            find(.unsent, "\(device.name)'s \(process.kind) has not sent \(unsent.records) records automatically")
        }
    }

    /// Whether a session at the prompt receives the edits of others.
    private func isLive(_ device: Device) -> Bool {
        device.credentials?.tokens != nil && device.processes.contains { $0.kind.isPrompt }
    }

    /// Checks that a sync requested at another terminal ends within the time limit.
    ///
    /// - Parameter isLive: whether there must be nothing to fetch.
    private func probe(_ device: Device, isLive: Bool) {
        guard let process = try? device.start(.command(terminal: Self.probeTerminal)) else {
            return find(.deadEnd, "\(device.name)'s cache can't be opened")
        }
        let (service, end) = (process.services.syncService, End<SyncResult>())
        process.start {
            try await service.sync(waiting: true)
        } ended: {
            end.result = $0
        }
        guard loop.run(until: { end.result != nil }, limit: Self.promptness) else {
            let others = device.processes.count - 1
            return find(.deadEnd, "\(device.name): a sync doesn't end next to \(others) other processes")
        }
        record("\(device.name)'s probe \(end.result?.summary ?? "")")
        // A probe whose program uses an additional collection reads everything again; that says nothing about the prompt.
        if isLive, case .success(let report) = end.result, report.pulled > 0,
            !report.fullReads.contains(.resync(.additionalCollections))
        {
            find(.notLive, "\(device.name)'s prompt didn't fetch \(report.pulled) records automatically")
        }
        device.exit(process)
    }

    /// The number of a terminal that no user uses.
    private static let probeTerminal = -1

    private func quitAll(_ device: Device) {
        device.launchesInBackground = false
        for process in device.processes {
            if case .prompt(let terminal) = process.kind { quitPrompt(device, at: terminal) }
        }
        guard loop.run(until: { device.processes.isEmpty }, limit: Self.promptness) else {
            let names = device.processes.map { "\($0.kind)" }.joined(separator: ", ")
            return find(.deadEnd, "\(device.name): the \(names) can't be ended")
        }
    }
}

import Backend
import LocalStore
import Records
import struct Records.Record

extension World {
    /// Performs a step.
    func perform(_ step: Step) {
        switch step.action {
        case .edit(let device, let record, let parts):
            change(devices[device], Self.key(record), step) { cache, before in
                try cache.edit(Self.key(record), parts.patch(of: before, step: step.number))
            }
        case .delete(let device, let record):
            change(devices[device], Self.key(record), step) { cache, before in
                if before?.deleted == false { try cache.delete(Self.key(record)) }
            }
        case .chore(let device, let task, let chore): perform(chore, on: task, devices[device], step)
        case .dismiss(let device, let conflict): dismiss(devices[device], conflict, step)
        case .sync(let device, let fates): sync(devices[device], step, fates)
        case .open(let device): openPrompt(devices[device], step)
        case .quit(let device): quitPrompt(devices[device], at: step.terminal)
        case .disturb(let device, let fates): devices[device].decide(fates)
        case .partition(let device, let duration):
            record("\(devices[device].name) has no network for \(duration) ms")
            devices[device].partitionedUntil = loop.now + duration
        case .clock(let machine, let off): setClock(of: machine, off: off)
        case .wait(let duration):
            record("\(duration / 60_000) minutes pass")
            loop.run(for: duration)
        case .revoke(let device, let by): revoke(devices[device], by: devices[by], step)
        case .logIn(let device): logIn(devices[device], at: step.terminal)
        case .logOut(let device): logOut(devices[device], step)
        case .kill, .cutPower, .fail: break_(step)
        case .backUp, .restore, .purge: operate(step.action)
        }
    }

    /// A few records of two known kinds and one unknown kind.
    private static func key(_ number: Int) -> RecordKey {
        switch number {
        case 0...2: RecordKey(collection: "tasks", id: "t\(number)")
        case 3, 4: RecordKey(collection: "notes", id: "n\(number)")
        default: RecordKey(collection: "moods", id: "m\(number)")
        }
    }

    // MARK: Users

    func change(
        _ device: Device, _ key: RecordKey, _ step: Step, _ body: (Cache, Record?) throws -> Void
    ) {
        var (before, after): (Record?, Record?)
        do {
            let process = try device.process(at: step.terminal)
            defer { device.release(process) }
            try process.store.writeNow { cache in
                before = try cache.cached(key)?.record
                try body(cache, before)
                after = try cache.cached(key)?.record
            }
            ledger.note(before, after, of: key, by: device.name, account: device.account)
            removals.note(before, after, of: key, account: device.account, isSure: true)
            record("#\(step.number) \(device.name): \(key.collection)/\(key.id) is \(after.summary)")
        } catch {
            ledger.doubt(before, after, of: key, by: device.name, account: device.account)
            removals.note(before, after, of: key, account: device.account, isSure: false)
            record("#\(step.number) \(device.name) couldn't store \(key.collection)/\(key.id): \(error)")
            judge(error, of: device)
        }
        device.noticeCut()
    }

    private func dismiss(_ device: Device, _ number: Int, _ step: Step) {
        guard let process = try? device.process(at: step.terminal) else { return device.noticeCut() }
        let inbox = try? process.store.readNow { try $0.records(in: ["conflicts"]) }
        guard let inbox, !inbox.isEmpty else { return device.release(process) }
        let key = inbox.map(\.key.id).sorted()[number % inbox.count]
        let conflict = RecordKey(collection: "conflicts", id: key)
        change(device, conflict, step) { cache, _ in try cache.delete(conflict) }
    }

    // MARK: Faults

    private func break_(_ step: Step) {
        switch step.action {
        case .kill(.server, let jobs): server.kill(afterJobs: jobs)
        case .kill(.device(let number), let jobs): devices[number].kill(at: step.terminal, afterJobs: jobs)
        case .cutPower(let machine, let after): disk(of: machine).cutPower(after: after, luck: luck.number())
        case .fail(let machine, let trouble, let after, let count):
            record("\(name(of: machine))'s disk: \(trouble) after \(after) operations, \(count) times")
            disk(of: machine).fail(trouble, after: after, count: count)
        default: break
        }
    }

    // MARK: The server's owner

    private func operate(_ action: Action) {
        switch action {
        case .backUp:
            record("the server is backed up")
            backup.copy(server.disk)
            hasBackup = true
        case .restore where hasBackup:
            record("the server restores its backup")
            server.restore(from: backup)
            streams.forgetVersions()
        case .purge:
            record("the server deletes its tombstones")
            server.purge()
        default: break
        }
    }

    func disk(of machine: Machine) -> Disk {
        switch machine {
        case .server: server.disk
        case .device(let number): devices[number].disk
        }
    }

    private func setClock(of machine: Machine, off: Int64) {
        record("\(name(of: machine))'s clock is \(off) ms wrong from now on")
        switch machine {
        case .server: server.clockError = off
        case .device(let number): devices[number].clockError = off
        }
    }

    private func name(of machine: Machine) -> String {
        switch machine {
        case .server: "the server"
        case .device(let number): devices[number].name
        }
    }

    /// Decides whether an error is allowed in a schedule with its faults.
    func judge(_ error: any Error, of device: Device) {
        if let reason = schedule.objection(to: error) { find(.deadEnd, "\(device.name) failed: \(reason)") }
    }
}

extension [Part] {
    /// The user's input. The words name the step, so that they are unchanged when other steps are left out.
    fileprivate func patch(of record: Record?, step: Int) -> JSONObject {
        let fields = record.flatMap { $0.deleted ? nil : $0.fields } ?? [:]
        var patch = JSONObject()
        for (part, letter) in zip(self, "abcdef") {
            let word = "w\(step)\(letter)"
            switch part {
            case .title: patch["title"] = .string(word)
            case .project: patch["project"] = .string(word)
            case .unknown: patch["mood"] = ["deep": [.string(word), 1]]
            case .untitle: patch["title"] = JSONValue.null
            case .tag(let removing):
                let tags = (patch["tags"] ?? fields["tags"])?.array ?? []
                patch["tags"] = .array(tags.edited(adding: .string(word), at: tags.count, removing: removing))
            case .line(let at, let removing):
                let lines = ((patch["body"] ?? fields["body"])?.string ?? "").split(separator: "\n").map(String.init)
                patch["body"] = .string(lines.edited(adding: word, at: at, removing: removing).joined(separator: "\n"))
            }
        }
        return patch
    }
}

extension Array {
    fileprivate func edited(adding element: Element, at place: Int, removing: Int?) -> [Element] {
        var edited = self
        if let removing, !edited.isEmpty { edited.remove(at: removing % edited.count) }
        edited.insert(element, at: place % (edited.count + 1))
        return edited
    }
}

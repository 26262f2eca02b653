import LocalStore
import Records
import struct Records.Record
import SyncEngine

// What must be true all the time, and of more than the words.
extension World {
    /// Looks at what came of a sync.
    func watch(_ result: Result<SyncResult, any Error>, of device: Device) {
        switch result {
        case .success(let report):
            // Reading everything makes good whatever is wrong, and would hide it.
            if report.fullReads.contains(.resync(.digestMismatch)) {
                find(.wrongDigest, "\(device.name) read everything again because the digests differ")
            }
        case .failure(let error): judge(error, of: device)
        }
    }

    /// Looks for what was taken away and is back, and for conflicts told the wrong way round.
    func watch(_ records: [Record], of account: String) {
        // A restored backup may have tags that were removed since.
        if !schedule.forgetsDeletions, !schedule.restores {
            for tag in removals.returnedTags(in: records, account: account) { find(.comeback, "\(tag) is back") }
        }
        if !schedule.forgetsDeletions {
            for conflict in removals.returnedConflicts(in: records, account: account) {
                find(.comeback, "\(conflict) is back")
            }
        }
        for conflict in records where conflict.key.collection == "conflicts" {
            let clocks = ["earlier", "later"].compactMap { conflict.fields[$0]?.object?["clock"]?.string }
            // The texts sort as the moments do.
            if clocks.count == 2, clocks[0] > clocks[1] {
                find(.wrongOrder, "the conflict \(conflict.key.id) has \(clocks[0]) before \(clocks[1])")
            }
        }
    }

    /// Looks for clocks that the server should have lowered when they came.
    func watch(clocksOf records: [Record]) {
        let bound = server.latest + 60_000
        for record in records {
            for (field, moment) in record.clock.moments where Int64(moment.milliseconds) > bound + 1_000 {
                find(.futureClock, "\(field) of \(record.key.collection)/\(record.key.id) is of \(moment)")
            }
        }
    }
}

extension Schedule {
    /// Whether tombstones go, so that somebody may not hear of a deletion.
    fileprivate var forgetsDeletions: Bool {
        steps.contains { step in
            switch step.action {
            case .purge: true
            case .wait(let duration): duration > 80 * 86_400_000
            default: false
            }
        }
    }

    fileprivate var restores: Bool { steps.contains { $0.action == .restore } }
}

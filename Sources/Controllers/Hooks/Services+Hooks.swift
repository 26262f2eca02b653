internal import Backend
internal import LocalStore
internal import SyncEngine

extension Services {
    /// Has the home's programs run after the changes that this process makes or brings, whichever view or service does it.
    ///
    /// To be called before anybody takes the services over. They run after the fact: what they are told of is stored.
    public mutating func install(_ hooks: Hooks) {
        self.hooks = hooks
        let brought = Locked<[RecordChange]>([])
        store.watchRecords { committed in
            if committed.arePersonal {
                for job in HookJob.jobs(after: committed.changes) { hooks.run(job) }
            } else {
                brought.withLock { $0 += committed.changes }
            }
        }
        syncService.ended = {
            let changes = brought.withLock { changes in
                defer { changes = [] }
                return changes
            }
            if let job = HookJob.job(afterSync: changes) { hooks.run(job) }
        }
    }
}

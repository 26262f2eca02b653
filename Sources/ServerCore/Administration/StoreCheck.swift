internal import Records

extension AdministrationService {
    /// Checks the engine's files, and the digest and the number of records of each account's space.
    ///
    /// - Parameter store: The store to check.
    /// - Returns: A description of each fault; none if all is well.
    package static func check(_ store: any ServerStore) async throws -> [String] {
        let faults = try await store.faults()
        // In a damaged file, further reading may fail.
        guard faults.isEmpty else { return faults }
        let accounts = try await AdministrationService(store: store).accounts().map(\.account)
        var found: [String] = []
        for account in accounts { found += try await store.read { tx in try tx.faults(of: account) } }
        return found
    }
}

extension StoreReading {
    /// Returns the faults of an account's personal space: differences between what its row says and its records.
    func faults(of account: StoredAccount) throws -> [String] {
        // Deleted since the list was read.
        guard try self.account(id: account.id) != nil else { return [] }
        guard let space = try self.space(account.personalSpace) else {
            return ["\(account.username): its space is missing"]
        }
        var (digest, count, last) = (SpaceDigest(), Int64(0), Int64(0))
        try visitChanges(ChangeRange(after: 0, tombstonesAfter: 0), in: space.id) { record in
            last = max(last, record.version)
            if !record.deleted {
                digest.add(collection: record.key.collection, id: record.key.id, version: record.version)
                count += 1
            }
            return true
        }
        var faults: [String] = []
        if count != space.records {
            faults.append("\(account.username): \(count) records are stored, and \(space.records) are counted")
        }
        if digest != space.digest { faults.append("\(account.username): the digest differs from the records") }
        if last > space.version {
            faults.append("\(account.username): a record has version \(last), after the last one, \(space.version)")
        }
        return faults
    }
}

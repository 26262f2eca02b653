public import Records

// A store that reads everything by itself has nothing to do for an announcement.

extension StoreReading {
    public func willReadCaller(token hash: [UInt8], space: String?) throws {}

    public func willReadSpace(_ id: String, by account: String) throws {}

    public func willReadRecord(_ key: RecordKey, in space: String, by account: String) throws {}

    public func willReadVersions(of keys: [RecordKey], in space: String) throws {}

    public func willReadRecords(of keys: [RecordKey], in space: String) throws {
        try willReadVersions(of: keys, in: space)
    }
}

extension StoreWriting {
    public func willChange(_ keys: [RecordKey], in space: String, session: String) throws {}
}

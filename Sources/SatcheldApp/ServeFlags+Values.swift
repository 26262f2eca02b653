import Configuration

extension DataFlags {
    /// The settings that were given as flags.
    var values: [AbsoluteConfigKey: ConfigValue] {
        let given = [(Setting.data, directory), (.store, store)]
        let values = given.compactMap { setting, text in
            text.map { (AbsoluteConfigKey(setting.key), ConfigValue(.string($0), isSecret: false)) }
        }
        return Dictionary(uniqueKeysWithValues: values)
    }
}

extension ServeFlags {
    /// The settings that were given as flags.
    var values: [AbsoluteConfigKey: ConfigValue] {
        var contents: [Setting: ConfigContent] = [:]
        contents[.host] = host.map(ConfigContent.string)
        contents[.port] = port.map(ConfigContent.int)
        contents[.socket] = socket.map(ConfigContent.string)
        contents[.socketMode] = socketMode.map(ConfigContent.string)
        contents[.tlsCertificate] = tlsCertificate.map(ConfigContent.string)
        contents[.tlsKey] = tlsKey.map(ConfigContent.string)
        // A flag that isn't given must not hide the variable or the file.
        contents[.insecureHTTP] = insecureHTTP ? .bool(true) : nil
        contents[.storeConnections] = storeConnections.map(ConfigContent.int)
        contents[.logLevel] = logLevel.map(ConfigContent.string)
        contents[.logFormat] = logFormat.map(ConfigContent.string)
        contents[.metricsAddress] = metricsAddress.map(ConfigContent.string)
        contents[.registration] = registration.map(ConfigContent.string)
        contents[.passwordMemory] = passwordMemory.map(ConfigContent.int)
        contents[.trustedProxies] = trustedProxies.isEmpty ? nil : .stringArray(trustedProxies)
        contents[.maxConnections] = maxConnections.map(ConfigContent.int)
        contents[.maxConnectionsPerAddress] = maxConnectionsPerAddress.map(ConfigContent.int)
        contents[.tombstoneRetention] = tombstoneRetention.map(ConfigContent.int)
        contents[.revisions] = revisions.map(ConfigContent.int)
        contents[.quotaRecords] = quotaRecords.map(ConfigContent.string)
        contents[.quotaBytes] = quotaBytes.map(ConfigContent.string)
        contents[.quotaDevices] = quotaDevices.map(ConfigContent.string)
        contents[.quotaStreams] = quotaStreams.map(ConfigContent.string)
        let values = contents.map {
            (AbsoluteConfigKey($0.key.key), ConfigValue($0.value, isSecret: false))
        }
        return Dictionary(uniqueKeysWithValues: values).merging(data.values) { $1 }
    }
}

internal import Backend
internal import Foundation

/// Whose home it is, as its session file tells.
struct SalvagedIdentity {
    let device: String
    let space: String
    let username: String

    /// Nil where the file isn't there or can't be read.
    init?(session file: URL) {
        guard let data = try? Data(contentsOf: file),
            let identity = try? JSONDecoder().decode(Credentials.self, from: data).identity
        else { return nil }
        device = identity.deviceID
        space = identity.personalSpace
        username = identity.username
    }
}

extension Cache {
    /// Lets a new cache belong to the account and be the device that its home was before.
    func adopt(_ identity: SalvagedIdentity) throws {
        try setMeta("device", identity.device)
        try bind(remote: identity.space, username: identity.username)
    }
}

extension AuthenticatedRoute {
    /// The part of the protocol to which the endpoint belongs; nil: one that every server has.
    public var capability: Capability? {
        switch self {
        case .logOut, .account, .changePassword, .devices, .revokeDevice, .spaces, .pullChanges, .pushChanges: nil
        case .deleteAccount: .accountDeletion
        case .renameDevice: .deviceNames
        case .signOutDevices: .signOut
        case .createAppPassword: .appPasswords
        case .events: .events
        case .records, .readRecord, .replaceRecord, .patchRecord, .deleteRecord: .records
        case .revisions: .revisions
        }
    }
}

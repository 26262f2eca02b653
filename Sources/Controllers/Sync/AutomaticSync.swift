internal import LocalStore
public import SyncEngine

/// Who syncs without being asked, as far as this process knows.
public enum AutomaticSync: Sendable {
    /// Nobody: only `sync` syncs.
    case manual
    /// A process in the background, which is started after a command that has edited something.
    case afterwards
    /// This process, while its session is open.
    case live(AutoSync)

    /// Whether that will happen, with these settings.
    func isThere(_ settings: SyncSettings) -> Bool {
        switch self {
        case .manual: false
        case .afterwards: settings.isAutomatic && settings.isInBackground
        case .live: settings.isAutomatic
        }
    }
}

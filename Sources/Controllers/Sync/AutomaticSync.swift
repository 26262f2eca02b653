internal import LocalStore
public import SyncEngine

/// The automatic sync, as far as this process knows it.
public enum AutomaticSync: Sendable {
    /// Only `sync` syncs.
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

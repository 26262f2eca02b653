import Subprocess

extension TerminationStatus {
    /// What happened, as a clause for the person: `ended with status 1`.
    var clause: String {
        switch self {
        case .exited(let code): "ended with status \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
    }
}

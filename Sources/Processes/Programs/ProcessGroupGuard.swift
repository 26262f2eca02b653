import Foundation
import Subprocess
import Synchronization

extension TerminationStatus {
    /// The status as a clause for the user, such as `ended with status 1`.
    var clause: String {
        switch self {
        case .exited(let code): "ended with status \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
    }
}

/// Makes a signal that ends this process also end the program that it waits for, which has its own process group.
///
/// Only signals that would end the process are handled (a prompt has its own handler for Ctrl-C), and only while a
/// program is started or runs. The handler does only what signal-safety(7) allows: it sends SIGTERM to the group. This
/// process ends by the signal when the program has ended (`end`), or after `mercy`, or with a second signal; the last two
/// first send SIGKILL to the group, which may ignore SIGTERM. A signal received before the group is known is kept until
/// `pass(to:)`.
final class ProcessGroupGuard: Sendable {
    static let shared = ProcessGroupGuard()
    private static let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]
    /// The seconds between SIGTERM and SIGKILL.
    static let mercy: UInt32 = 2
    /// The group that receives the signals; 0: none, -1: a program is being started.
    private let group = Atomic<Int32>(0)
    /// The signal that ends this process; 0: none.
    private let ending = Atomic<Int32>(0)

    private init() {}

    /// Begins to handle the signals. Call it before the program is started.
    func begin() {
        group.store(-1, ordering: .sequentiallyConsistent)
        for signal in Self.signals + [SIGALRM] { replace(signal, where: Self.isDefault, by: Self.handler) }
        // Swift's runtime may print a backtrace at SIGQUIT, which would leave the program running.
        replace(SIGQUIT, where: { Self.address(of: $0) != 1 }, by: Self.handler)
    }

    /// Passes signals to a process group from now on. A signal received since `begin` is passed at once.
    func pass(to group: Int32) {
        self.group.store(group, ordering: .sequentiallyConsistent)
        guard ending.load(ordering: .sequentiallyConsistent) != 0 else { return }
        kill(-group, SIGTERM)
        alarm(Self.mercy)
    }

    /// Ends handling the signals. If one has come, this process ends by the same signal here.
    func end() {
        // Only our own handlers: the prompt may have set others meanwhile.
        for signal in Self.signals { replace(signal, where: Self.isOurs, by: SIG_DFL) }
        alarm(0)
        replace(SIGALRM, where: Self.isOurs, by: SIG_DFL)
        group.store(0, ordering: .sequentiallyConsistent)
        // Last: a handler that still runs either has stored its signal, or finds no program and raises the signal itself.
        endIfSignaled()
    }

    private func endIfSignaled() {
        let ending = ending.load(ordering: .sequentiallyConsistent)
        guard ending != 0 else { return }
        Glibc.signal(ending, SIG_DFL)
        // Unblocked, and to this thread: another one would receive it later, and this process could end with its own
        // status before (SIGQUIT ends a process only when a thread handles it).
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, ending)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(ending)
    }

    private static let handler: @convention(c) (Int32) -> Void = { signal in
        let former = ProcessGroupGuard.shared.ending.load(ordering: .sequentiallyConsistent)
        let ending = former == 0 ? signal : former
        ProcessGroupGuard.shared.ending.store(ending, ordering: .sequentiallyConsistent)
        let group = ProcessGroupGuard.shared.group.load(ordering: .sequentiallyConsistent)
        if group < 0 { return }
        if group > 0 {
            // The second signal is another one of the user, or SIGALRM.
            kill(-group, former == 0 ? SIGTERM : SIGKILL)
            if former == 0 {
                alarm(mercy)
                return
            }
        }
        Glibc.signal(ending, SIG_DFL)
        raise(ending)
    }

    private func replace(_ signal: Int32, where matches: (sigaction) -> Bool, by handler: __sighandler_t?) {
        var present = sigaction()
        guard sigaction(signal, nil, &present) == 0, matches(present) else { return }
        present.__sigaction_handler.sa_handler = handler
        sigaction(signal, &present, nil)
    }

    private static func isDefault(_ action: sigaction) -> Bool { address(of: action) == 0 }

    private static func isOurs(_ action: sigaction) -> Bool {
        address(of: action) == unsafeBitCast(handler, to: Int.self)
    }

    private static func address(of action: sigaction) -> Int {
        action.__sigaction_handler.sa_handler.map { unsafeBitCast($0, to: Int.self) } ?? 0
    }
}

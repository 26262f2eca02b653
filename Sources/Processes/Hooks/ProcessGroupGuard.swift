import Foundation
import Synchronization

/// Makes a signal that ends this process also end the program that it waits for, which has its own process group.
///
/// Only signals that would end the process are handled (a prompt has its own handler for Ctrl-C), and only while a
/// program runs. The handler does only what signal-safety(7) allows: it sends SIGTERM to the group, restores the
/// signal's default action and raises it again. The program may end, and this process exit with status 0, before the
/// handler's thread gets so far. Therefore `end` raises the signal, too.
final class ProcessGroupGuard: Sendable {
    static let shared = ProcessGroupGuard()
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private let group = Atomic<Int32>(0)
    /// The signal that ends this process; 0: none.
    private let ending = Atomic<Int32>(0)

    private init() {}

    /// Begins to pass signals to a process group.
    func begin(_ group: Int32) {
        self.group.store(group, ordering: .sequentiallyConsistent)
        for signal in Self.signals { replace(signal, where: Self.isDefault, by: Self.handler) }
    }

    /// Ends passing signals. If a signal ended the program, this process ends by the same signal here.
    func end() {
        let ending = ending.load(ordering: .sequentiallyConsistent)
        if ending != 0 {
            Glibc.signal(ending, SIG_DFL)
            kill(getpid(), ending)
        }
        // Only our own handlers: the prompt may have set others meanwhile.
        for signal in Self.signals { replace(signal, where: Self.isOurs, by: SIG_DFL) }
        group.store(0, ordering: .sequentiallyConsistent)
    }

    private static let handler: @convention(c) (Int32) -> Void = { signal in
        ProcessGroupGuard.shared.ending.store(signal, ordering: .sequentiallyConsistent)
        let group = ProcessGroupGuard.shared.group.load(ordering: .sequentiallyConsistent)
        // 0 would be this process's own group.
        if group > 0 { kill(-group, SIGTERM) }
        Glibc.signal(signal, SIG_DFL)
        raise(signal)
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

import Foundation
import Synchronization

/// Sees to it that a signal that ends this process ends the program that it waits for, which has a process group of its own.
///
/// Only signals that would end the process are handled (a prompt has a handler for Ctrl-C of its own), and only while a
/// program runs. The handler does what signal-safety(7) allows: it sends the group SIGTERM, restores the signal's action and
/// raises it again. The program may end, and this process with status 0, before the handler's thread gets that far: so
/// `end` raises the signal, too.
final class ProcessGroupGuard: Sendable {
    static let shared = ProcessGroupGuard()
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    private let group = Atomic<Int32>(0)
    /// The signal that ends this process; 0: none has come.
    private let ending = Atomic<Int32>(0)

    private init() {}

    /// A program runs from now on.
    func begin(_ group: Int32) {
        self.group.store(group, ordering: .sequentiallyConsistent)
        for signal in Self.signals { replace(signal, where: Self.isDefault, by: Self.handler) }
    }

    /// The program has ended. If a signal ended it, this process ends by the same signal here.
    func end() {
        let ending = ending.load(ordering: .sequentiallyConsistent)
        if ending != 0 {
            Glibc.signal(ending, SIG_DFL)
            kill(getpid(), ending)
        }
        for signal in Self.signals { replace(signal, where: Self.isOurs, by: SIG_DFL) }
        group.store(0, ordering: .sequentiallyConsistent)
    }

    private static let handler: @convention(c) (Int32) -> Void = { signal in
        ProcessGroupGuard.shared.ending.store(signal, ordering: .sequentiallyConsistent)
        let group = ProcessGroupGuard.shared.group.load(ordering: .sequentiallyConsistent)
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

import Dispatch
import Foundation
import Logging

/// Ends the process some time after SIGTERM or SIGINT, even if requests are still running then.
///
/// It uses neither a task nor the cooperative pool: long requests can occupy all threads of that, and the graceful shutdown
/// waits for them.
enum LastDeadline {
    /// Waits for the signals from now on. Call it once, when the handlers of the graceful shutdown are installed: earlier, a
    /// signal would be received by this alone.
    ///
    /// - Parameter seconds: the time between the signal and the end of the process, which exits with status 0.
    static func start(seconds: TimeInterval, logger: Logger) {
        let queue = DispatchQueue(label: "satcheld.deadline")
        for number in [SIGTERM, SIGINT] {
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                // The handler keeps the source alive: a source that is released is cancelled.
                withExtendedLifetime(source) {
                    queue.asyncAfter(deadline: .now() + seconds) {
                        logger.error(
                            """
                            stopped while requests were still running; the next start recovers the database, nothing that \
                            was committed is lost
                            """)
                        // `exit` would run handlers next to the threads of those requests.
                        _exit(0)
                    }
                }
            }
            source.activate()
        }
    }
}

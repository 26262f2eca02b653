import LocalStore
import Records
import SyncEngine
import Testing

@Suite("Whether a command leaves work to a process in the background")
struct BackgroundSyncDueTests {
    private static let now = Timestamp(seconds: 1_000)

    /// A note of moments so many seconds ago.
    private static func note(tried: Int64?, succeeded: Int64?) -> SyncStatus {
        var note = SyncStatus()
        note.attemptedAt = tried.map { Timestamp(seconds: now.seconds - $0).description }
        note.syncedAt = succeeded.map { Timestamp(seconds: now.seconds - $0).description }
        return note
    }

    @Test(
        "It does when it has edited something, and, when nobody has tried for a minute, for older edits or old records",
        arguments: [
            (nil, "a", 0, 0, true), ("a", "b", 0, 0, true), ("a", "a", 60, 60, false), ("a", "a", 61, 61, true),
            (nil, nil, 61, 300, false), (nil, nil, 61, 301, true), (nil, nil, 60, 301, false),
            (nil, nil, nil, nil, true),
            ("a", nil, 61, 61, false), (nil, nil, -5, -5, true),
        ] as [(String?, String?, Int64?, Int64?, Bool)])
    func due(before: String?, after: String?, tried: Int64?, succeeded: Int64?, isDue: Bool) {
        let note = Self.note(tried: tried, succeeded: succeeded)
        func decide(_ settings: SyncSettings) -> Bool {
            BackgroundSync.isDue(before: before, after: after, settings: settings, status: note, now: Self.now)
        }
        #expect(decide(SyncSettings()) == isDue)
        #expect(!decide(SyncSettings(isAutomatic: false)) && !decide(SyncSettings(isInBackground: false)))
    }
}

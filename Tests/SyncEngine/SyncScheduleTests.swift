import TestSupport
import Testing

@testable import SyncEngine

/// A schedule and the times of a test, in seconds.
private struct Trial {
    var schedule = SyncSchedule(isSignedIn: true)
    private static let half = 0.5

    /// A schedule that has started, has received the server's events, and is in sync.
    static func inStep() -> Trial {
        var trial = Trial()
        #expect(trial.schedule.connected(at: .zero) == .sync)
        #expect(trial.finish(.done(cursor: "c0"), nil, 0) == .rest)
        return trial
    }

    mutating func edit(_ name: String?, _ seconds: Double) -> SyncSchedule.Action {
        schedule.observed(isOn: true, newestEdit: name, at: .seconds(seconds))
    }

    mutating func pass(_ seconds: Double) -> SyncSchedule.Action { schedule.timePassed(at: .seconds(seconds)) }

    mutating func hear(_ cursor: String, _ seconds: Double, holding: String? = "c0") -> SyncSchedule.Action {
        schedule.heard(cursor, holding: holding, at: .seconds(seconds))
    }

    mutating func finish(_ outcome: SyncSchedule.Outcome, _ newest: String?, _ seconds: Double) -> SyncSchedule.Action {
        schedule.finished(outcome, newestEdit: newest, at: .seconds(seconds), random: Self.half)
    }
}

private func wait(_ seconds: Double) -> SyncSchedule.Action { .wait(until: .seconds(seconds)) }

@Suite("When to sync")
struct SyncScheduleTests {
    @Test("At the start it syncs as soon as the event stream is open, or without it after a moment")
    func start() {
        var trial = Trial(schedule: SyncSchedule())
        #expect(trial.schedule.session(isSignedIn: true, at: .zero) == wait(0.5))
        #expect(trial.schedule.connected(at: .seconds(0.1)) == .sync)
        var alone = Trial(schedule: SyncSchedule())
        #expect(alone.schedule.session(isSignedIn: true, at: .zero) == wait(0.5))
        #expect(alone.pass(0.5) == .sync)
        #expect(alone.schedule.connected(at: .seconds(0.6)) == .rest, "one at a time")
        #expect(alone.finish(.done(cursor: "c"), nil, 0.7) == .sync, "what came between the two is fetched")
    }

    @Test("An edit is sent a second after the last one of a series, and at most five seconds after the first")
    func debounce() {
        var trial = Trial.inStep()
        #expect(trial.edit("a", 10) == wait(11))
        #expect(trial.edit("b", 10.5) == wait(11.5))
        #expect(trial.edit("b", 10.9) == wait(11.5), "the same edits, examined again")
        #expect(trial.edit("c", 11.4) == wait(12.4))
        #expect(trial.edit("d", 12.3) == wait(13.3))
        #expect(trial.edit("e", 14.5) == wait(15))
        #expect(trial.pass(14.9) == wait(15))
        #expect(trial.pass(15) == .sync)
        #expect(trial.finish(.done(cursor: "c1"), nil, 15.2) == .rest)
    }

    @Test("An edit made during a sync is sent after it")
    func editMeanwhile() {
        var trial = Trial.inStep()
        _ = trial.edit("a", 10)
        #expect(trial.pass(11) == .sync)
        #expect(trial.edit("b", 11.1) == .rest)
        #expect(trial.finish(.done(cursor: "c1"), "b", 11.5) == wait(12.1))
        var unseen = Trial.inStep()
        _ = unseen.edit("a", 10)
        #expect(unseen.pass(11) == .sync)
        #expect(unseen.finish(.done(cursor: "c1"), "b", 11.5) == wait(12.5), "seen only when it was over")
    }

    @Test("A change that the server announces is fetched at once, several during a sync by one more")
    func events() {
        var trial = Trial.inStep()
        #expect(trial.hear("c1", 20) == .sync)
        #expect(trial.hear("c2", 20.1) == .rest)
        #expect(trial.hear("c3", 20.2) == .rest)
        #expect(trial.finish(.done(cursor: "c1"), nil, 20.3) == .sync)
        #expect(trial.finish(.done(cursor: "c3"), nil, 20.4) == .rest)
    }

    @Test("Events caused by this home's own edits or known changes cause no sync")
    func echo() {
        var trial = Trial.inStep()
        #expect(trial.hear("c0", 20) == .rest)
        #expect(trial.edit("a", 20) == wait(21))
        #expect(trial.pass(21) == .sync)
        #expect(trial.hear("c1", 21.1) == .rest, "announced before the answer came")
        #expect(trial.finish(.done(cursor: "c1"), nil, 21.2) == .rest)
    }

    @Test(
        "Failures are retried after a random part of 1 s, doubled each time up to 5 min",
        arguments: [(1, 1.0), (2, 2), (3, 4), (8, 128), (9, 256), (10, 300), (11, 300), (1_000_000, 300)])
    func backOff(failures: Int, longest: Double) {
        let timing = SyncSchedule.Timing()
        #expect(timing.backOff(failures: failures, random: 0) == .zero)
        #expect(timing.backOff(failures: failures, random: 0.5) == .seconds(longest) * 0.5)
        #expect(timing.backOff(failures: failures, random: 0.999) < .seconds(longest))
    }

    @Test("During back-off, neither edits nor events shorten the pause; a success ends it")
    func pause() {
        var trial = Trial.inStep()
        #expect(trial.hear("c1", 10) == .sync)
        #expect(trial.finish(.failed(retryAfter: nil), nil, 10) == wait(10.5))
        #expect(trial.pass(10.5) == .sync)
        #expect(trial.finish(.failed(retryAfter: nil), nil, 11) == wait(12))
        #expect(trial.edit("a", 11.5) == wait(12))
        #expect(trial.hear("c2", 11.6) == wait(12))
        #expect(trial.pass(12) == .sync)
        #expect(trial.finish(.done(cursor: "c2"), nil, 12.1) == .rest)
        #expect(trial.schedule.notBefore == nil)
        #expect(trial.hear("c3", 13) == .sync)
        #expect(trial.finish(.failed(retryAfter: nil), nil, 13) == wait(13.5), "it begins with the shortest again")
    }

    @Test("It waits at least as long as the server asks")
    func retryAfter() {
        var trial = Trial.inStep()
        _ = trial.hear("c1", 10)
        #expect(trial.finish(.failed(retryAfter: .seconds(90)), nil, 10) == wait(100))
    }

    @Test("An event stream that is open again, and a new sign-in, end their own pause, not the server's")
    func recovered() {
        var trial = Trial.inStep()
        _ = trial.schedule.disconnected(at: .seconds(5))
        _ = trial.hear("c1", 10)
        #expect(trial.finish(.failed(retryAfter: .seconds(90)), nil, 10) == wait(100))
        #expect(trial.schedule.connected(at: .seconds(20)) == wait(100))
        #expect(trial.pass(100) == .sync)
        #expect(trial.finish(.failed(retryAfter: nil), nil, 100) == wait(100.5))
        #expect(trial.schedule.connected(at: .seconds(100.1)) == .sync)
        #expect(trial.finish(.signedOut, nil, 21) == .rest)
        #expect(trial.schedule.session(isSignedIn: true, at: .seconds(30)) == wait(30.5))
        #expect(trial.pass(30.5) == .sync)
    }

    @Test("Without the server's events it syncs every minute")
    func polling() {
        var trial = Trial(schedule: SyncSchedule())
        _ = trial.schedule.session(isSignedIn: true, at: .zero)
        #expect(trial.pass(1) == .sync)
        #expect(trial.finish(.done(cursor: "c"), nil, 2) == wait(62))
        #expect(trial.pass(62) == .sync)
        var lost = Trial.inStep()
        #expect(lost.schedule.disconnected(at: .seconds(10)) == wait(70))
    }

    @Test("Switched off it does nothing, and switched on it syncs what is new")
    func off() {
        var trial = Trial.inStep()
        #expect(trial.schedule.observed(isOn: false, newestEdit: "a", at: .seconds(1)) == .rest)
        #expect(trial.pass(100) == .rest)
        #expect(trial.hear("c1", 101) == .rest)
        #expect(trial.schedule.observed(isOn: true, newestEdit: "a", at: .seconds(102)) == .sync)
    }

    @Test("What the server rejects permanently is not sent again before something changes")
    func refused() {
        var trial = Trial.inStep()
        _ = trial.edit("a", 10)
        #expect(trial.pass(11) == .sync)
        #expect(trial.finish(.refused, "a", 12) == .rest)
        #expect(trial.pass(1_000) == .rest)
        #expect(trial.edit("b", 1_001) == wait(1_002), "an edit may be the correction")
        #expect(trial.pass(1_002) == .sync)
        #expect(trial.finish(.refused, "b", 1_003) == .rest)
        #expect(trial.hear("c5", 1_004) == wait(1_303), "others' changes are fetched, but not at once")
    }

    @Test("A home that may only read receives each announced change at once, and doesn't sync because of its edits")
    func readOnly() {
        var trial = Trial.inStep()
        _ = trial.edit("a", 10)
        #expect(trial.pass(11) == .sync)
        #expect(trial.finish(.received(cursor: "c0"), "a", 12) == .rest)
        #expect(trial.pass(1_000) == .rest)
        #expect(trial.hear("c1", 1_001) == .sync)
        #expect(trial.finish(.received(cursor: "c1"), "a", 1_002) == .rest)
        #expect(trial.edit("b", 1_003) == wait(1_004), "the home may have signed in with another app password")
    }

    @Test("A home on which another process syncs is checked again soon, so that no edit is left unsent")
    func busy() {
        var trial = Trial.inStep()
        _ = trial.edit("a", 10)
        #expect(trial.pass(11) == .sync)
        #expect(trial.finish(.busy, "a", 11) == wait(13))
        #expect(trial.pass(13) == .sync)
        #expect(trial.finish(.done(cursor: "c1"), nil, 14) == .rest)
    }

    @Test(
        "It never rests with unsent edits while it is on, signed in and not refused",
        arguments: 1...40)
    func neverIdle(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var schedule = SyncSchedule(isSignedIn: true)
        var (now, newest, wasRefused) = (0.0, String?.none, false)
        for step in 0..<400 {
            now += Double(random.next() % 4_000) / 1_000
            let moment = Duration.seconds(now)
            let action: SyncSchedule.Action
            switch random.next() % 9 {
            case 0, 1:
                (newest, wasRefused) = ("edit \(step)", false)
                action = schedule.observed(isOn: schedule.isOn, newestEdit: newest, at: moment)
            case 2: action = schedule.heard("c\(step)", holding: nil, at: moment)
            case 3: action = schedule.connected(at: moment)
            case 4: action = schedule.disconnected(at: moment)
            case 5: action = schedule.session(isSignedIn: random.next() % 4 > 0, at: moment)
            case 6: action = schedule.observed(isOn: random.next() % 4 > 0, newestEdit: newest, at: moment)
            case _ where schedule.isSyncing:
                let outcomes: [SyncSchedule.Outcome] = [
                    .done(cursor: "c"), .done(cursor: "c"), .busy, .failed(retryAfter: nil),
                    .failed(retryAfter: .seconds(30)), .refused, .received(cursor: "c"), .signedOut,
                ]
                let outcome = outcomes[Int(random.next() % 8)]
                if case .done = outcome { newest = nil }
                wasRefused = [.refused, .received(cursor: "c")].contains(outcome)
                action = schedule.finished(outcome, newestEdit: newest, at: moment, random: 0.7)
            default: action = schedule.timePassed(at: moment)
            }
            let mustAct = newest != nil && schedule.isOn && schedule.isSignedIn && !schedule.isSyncing && !wasRefused
            #expect(!mustAct || action != .rest, "seed \(seed), step \(step)")
        }
    }
}

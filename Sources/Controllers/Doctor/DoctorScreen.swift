public import ControllerKit

/// Whether everything on this home is as it must be, and what to do where it isn't.
public enum DoctorScreen: Screen {
    public static let name = "doctor"
    public static let summary = "Check the cache, the home and the server against each other, and mend what is wrong."

    /// What a view shows.
    public struct State: ScreenState {
        /// What was checked, in the order in which it was.
        public var checks: [Check] = []
        /// Whether nothing was found that wants somebody's attention.
        public var isWell = true
        /// The first of the records that aren't held as the server has them; only after a deep check.
        public var differences: [Difference] = []
        /// How many records differ.
        public var differing = 0
        /// Whether a check is under way.
        public var isChecking = false
        /// How far a deep check or reading everything again is; nil: neither is under way.
        public var progress: WorkProgress?
        public var notice: String?

        /// One thing that was looked at.
        public struct Check: Codable, Equatable, Sendable {
            /// What it was: `file`, `records`, `outbox`, `sync`, `search`, `home`, `writing`, `put aside`,
            /// `hooks`, `session`, `clock`, `server`, `compare`, `server disk`.
            public var name: String
            /// How it stands.
            public var verdict: Verdict
            /// What was found, in plain words.
            public var detail: String
            /// What to do; nil: nothing.
            public var remedy: String?
        }

        /// How something stands.
        public enum Verdict: String, Codable, Sendable, CaseIterable {
            /// As it must be.
            case ok
            /// Nothing is lost or wrong yet, but it should be seen to.
            case warning
            /// It isn't as it must be.
            case broken
            /// It wasn't looked at; the detail says why.
            case skipped
        }

        /// A record that isn't held as the server has it.
        public struct Difference: Codable, Equatable, Sendable {
            /// The record's id, whole.
            public var id: String
            /// The collection that it is in.
            public var collection: String
            /// What it is about, if it is held.
            public var title: String?
            /// How it differs: `missing-here`, `missing-there`, `version`, `contents`, `too-large`.
            public var kind: String
        }

        public init() {}

        /// A script must know what a person reads.
        public var shortcoming: Failure.Category? { isWell || isChecking ? nil : .damaged }
    }

    /// What a person can do.
    public enum Intent: Sendable {
        /// Check everything; nothing is changed.
        ///
        /// - Parameter deep: whether to read the whole space and compare every record.
        case check(deep: Bool)
        /// Check everything, mend what can be mended, and check again.
        case repair(deep: Bool)
        /// Take the unsent edits out of a file that was put aside, once more.
        case salvage(file: String)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "doctor", .flag("deep", help: "Compare every record with the server."),
            .flag("repair", help: "Mend what is wrong; what is unsent stays."),
            .option(.text("salvage", help: "Take the unsent edits out of this damaged file.", completing: .files)),
            help: "Check that everything here is as it must be.",
            examples: [
                Example("doctor", "Check the home, the session, the clock and the server; changes nothing."),
                Example("doctor --deep", "Compare every record with the server's, too."),
                Example("doctor --deep --repair", "Repair faults, and read again what differs."),
            ]
        ) { deep, repair, file in
            if let file { return .salvage(file: file) }
            return repair ? .repair(deep: deep) : .check(deep: deep)
        }
    ]
}

extension DoctorScreen.State.Check {
    init(_ name: String, _ verdict: DoctorScreen.State.Verdict, _ detail: String, remedy: String? = nil) {
        self.init(name: name, verdict: verdict, detail: detail, remedy: remedy)
    }
}

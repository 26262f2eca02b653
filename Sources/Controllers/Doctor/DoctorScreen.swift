public import ControllerKit

/// Whether everything on this home is as it must be, and what to do where it isn't.
public enum DoctorScreen: Screen {
    public static let name = "doctor"
    public static let summary = "Check the cache, the home and the server, and repair faults."

    /// What a view shows.
    public struct State: ScreenState {
        /// What was checked, in the order in which it was.
        public var checks: [Check] = []
        /// Whether no fault was found.
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
            /// What it was.
            public var name: Subject
            /// The verdict of the check.
            public var verdict: Verdict
            /// What was found, in plain words.
            public var detail: String
            /// What to do; nil: nothing.
            public var remedy: String?
        }

        /// What is checked. New cases may be added.
        public enum Subject: String, Codable, Sendable, CaseIterable {
            /// The cache's file; the records in it; the outbox; the state of the sync; the index for searching.
            case file, records, outbox, sync, search
            /// The files of the home; whether anything can be saved there.
            case home, writing
            /// The files that were put aside.
            case putAside = "put aside"
            /// The programs that run after changes; the session; this device's clock.
            case hooks, session, clock
            /// The server's records, by their digest; each of them.
            case server, compare
            /// The server's disk.
            case serverDisk = "server disk"
        }

        /// The result of a check.
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
            /// How it differs.
            public var kind: Kind

            /// How a record differs. New cases may be added.
            public enum Kind: String, Codable, Sendable, CaseIterable {
                /// It is not in the cache.
                case missingHere = "missing-here"
                /// It is not on the server.
                case missingThere = "missing-there"
                /// It has another version; it has other contents.
                case version, contents
                /// It is too large to be received.
                case tooLarge = "too-large"
            }
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
        /// Check everything, repair what can be repaired, and check again.
        case repair(deep: Bool)
        /// Recover the unsent edits of a damaged file again.
        case salvage(file: String)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "doctor", .flag("deep", help: "Compare every record with the server."),
            .flag("repair", help: "Repair faults; unsent edits are kept."),
            .option(.text("salvage", help: "Recover the unsent edits from this damaged file.", completing: .files)),
            help: "Check this home for faults.",
            examples: [
                Example("doctor", "Check the home, the session, the clock and the server. Changes nothing."),
                Example("doctor --deep", "Also compare every record with the server."),
                Example("doctor --deep --repair", "Repair faults, and read differing records again."),
            ]
        ) { deep, repair, file in
            if let file { return .salvage(file: file) }
            return repair ? .repair(deep: deep) : .check(deep: deep)
        }
    ]
}

extension DoctorScreen.State.Check {
    init(
        _ name: DoctorScreen.State.Subject, _ verdict: DoctorScreen.State.Verdict, _ detail: String,
        remedy: String? = nil
    ) {
        self.init(name: name, verdict: verdict, detail: detail, remedy: remedy)
    }
}

public import ControllerKit

/// The screen that checks a home for faults and repairs them.
public enum DoctorScreen: Screen {
    public static let name = "doctor"
    public static let summary = "Check the cache, the home and the server, and repair faults."

    /// The state that views show.
    public struct State: ScreenState {
        /// The checks, in the order in which they were made.
        public var checks: [Check] = []
        /// Whether no fault was found.
        public var isWell = true
        /// The first records that differ from the server's; empty without a deep check.
        public var differences: [Difference] = []
        /// The number of records that differ.
        public var differing = 0
        /// Whether a check is under way.
        public var isChecking = false
        /// The progress of a deep check or a full read; nil: neither is under way.
        public var progress: WorkProgress?
        public var notice: String?

        /// A check and its result.
        public struct Check: Codable, Equatable, Sendable {
            /// The subject of the check.
            public var name: Subject
            /// The verdict of the check.
            public var verdict: Verdict
            /// The finding, for the user.
            public var detail: String
            /// What to do; nil: nothing.
            public var remedy: String?
        }

        /// The subjects of checks. New cases may be added.
        public enum Subject: String, Codable, Sendable, CaseIterable {
            /// The cache's file; its records; the outbox; the sync state; the search index.
            case file, records, outbox, sync, search
            /// The permissions of the home's files; whether the home can be written.
            case home, writing
            /// The damaged files that were moved away.
            case putAside = "put aside"
            /// The hooks; the session; this device's clock.
            case hooks, session, clock
            /// The server's records, by their digest; each single record.
            case server, compare
            /// The server's disk.
            case serverDisk = "server disk"
        }

        /// The result of a check. New cases may be added.
        public enum Verdict: String, Codable, Sendable, CaseIterable {
            /// No fault.
            case ok
            /// Nothing is lost or wrong yet, but the user should act.
            case warning
            /// A fault.
            case broken
            /// Not checked; the detail says why.
            case skipped
        }

        /// A record that differs from the server's.
        public struct Difference: Codable, Equatable, Sendable {
            /// The record's full id.
            public var id: String
            /// Its collection.
            public var collection: String
            /// Its title; nil: the record isn't in the cache.
            public var title: String?
            /// How it differs.
            public var kind: Kind

            /// How a record differs. New cases may be added.
            public enum Kind: String, Codable, Sendable, CaseIterable {
                /// It is not in the cache.
                case missingHere = "missing-here"
                /// It is not on the server.
                case missingThere = "missing-there"
                /// It has another version; it has the same version with other contents.
                case version, contents
                /// It is too large to be received.
                case tooLarge = "too-large"
            }
        }

        public init() {}

        /// A fault sets the exit status, so that scripts detect it.
        public var failureCategory: Failure.Category? { isWell || isChecking ? nil : .damaged }
    }

    /// The intents of the screen. New cases may be added.
    public enum Intent: Sendable {
        /// Check everything; nothing is changed.
        ///
        /// - Parameter deep: Whether to read the whole space and compare every record.
        case check(deep: Bool)
        /// Check everything, repair what can be repaired, and check again.
        case repair(deep: Bool)
        /// Recover the unsent edits of a damaged file that was moved away.
        case salvage(file: String)
    }

    public static let verbs: [Verb<Intent>] = [
        Verb(
            "doctor", .flag("deep", help: "Compare every record with the server."),
            .flag("repair", help: "Repair faults; unsent edits are kept."),
            .option(.text("salvage", help: "Recover the unsent edits from this damaged file.", completing: .files)),
            help: "Check this home for faults.", namesElsewhere: ["diagnostics"],
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

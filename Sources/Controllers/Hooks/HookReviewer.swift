internal import Backend
public import Notebook
public import Records

/// The programs in the home's `hooks/` that review edits before they are stored, as functions: the composition root
/// decides how they are run.
public struct ReviewPrograms: Sendable {
    /// Returns the programs of an event that can be run, in their order.
    public var programs: @Sendable (HookEvent) -> [String]
    /// Runs a program with these lines as its input, and waits for it. Cancelling the task ends it.
    public var run: @Sendable (_ program: String, _ lines: [String]) async -> HookResult
    /// The time that a program may run; `run` ends it then.
    public var timeLimit: Duration
    /// Shows a message to the user.
    public var report: @Sendable (String) -> Void
    /// What a user can do to store an edit that a program refuses: a sentence.
    public var advice: String

    /// Creates the programs.
    public init(
        programs: @escaping @Sendable (HookEvent) -> [String],
        run: @escaping @Sendable (_ program: String, _ lines: [String]) async -> HookResult,
        timeLimit: Duration, report: @escaping @Sendable (String) -> Void, advice: String
    ) {
        (self.programs, self.run, self.timeLimit) = (programs, run, timeLimit)
        (self.report, self.advice) = (report, advice)
    }
}

/// The result of a program that reviews edits.
public struct HookResult: Sendable, Equatable {
    /// The name of the program, for messages.
    public var name: String
    /// Its output.
    public var output: String
    /// The failure as a clause, such as `ended with status 1`; nil: it approved the edits.
    public var failure: String?

    /// Creates a result.
    public init(_ name: String, output: String = "", failure: String? = nil) {
        (self.name, self.output, self.failure) = (name, output, failure)
    }
}

/// Reviews edits by the user's programs. The programs of one event receive all records of a command at once, one line
/// of JSON for each, and run one after the other.
///
/// A line of the output that begins with `{` is a record with its new fields, any other line is a message. Records that
/// a program doesn't print stay as they are. A program that fails refuses the command.
public struct HookReviewer: EditReviewer {
    private let hooks: ReviewPrograms
    private let types: RecordTypes
    private let sleep: @Sendable (Duration) async throws -> Void

    /// Creates a reviewer.
    ///
    /// - Parameters:
    ///   - types: The record types, with the kinds of their fields.
    ///   - sleep: Waits for the given duration, or throws when the calling task is cancelled.
    public init(
        _ hooks: ReviewPrograms, types: RecordTypes,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) { (self.hooks, self.types, self.sleep) = (hooks, types, sleep) }

    public var isActive: Bool { HookEvent.allCases.contains { !hooks.programs($0).isEmpty } }

    public var advice: String { hooks.advice }

    public func review(_ edits: [PlannedEdit]) async throws -> [PlannedEdit] {
        var edits = edits
        for event in HookEvent.allCases {
            let indices = edits.indices.filter { event == (edits[$0].before == nil ? .add : .edit) }
            if indices.isEmpty { continue }
            for program in hooks.programs(event) {
                let result = await run(program, indices.map { line(of: edits[$0]) })
                // An interrupted program has refused nothing.
                try Task.checkCancellation()
                try apply(result, to: &edits, at: indices)
            }
        }
        return edits
    }

    /// Runs a program, and reports it to the user if it takes longer than `WaitNotice.delay`.
    private func run(_ program: String, _ lines: [String]) async -> HookResult {
        let receive = WaitNotice.receive ?? hooks.report
        let notice = Task { [sleep, seconds = hooks.timeLimit.components.seconds] in
            // Throws only if the program has ended first.
            guard (try? await sleep(WaitNotice.delay)) != nil else { return }
            let name = program.split(separator: "/").last.map(String.init) ?? program
            receive("Waiting for the hook \(name) (at most \(seconds) s). Ctrl-C cancels the command.")
        }
        defer { notice.cancel() }
        return await hooks.run(program, lines)
    }

    /// The edit as a line: as after the fact, with the typed values of `list --json`.
    private func line(of edit: PlannedEdit) -> String {
        let catalog = types.catalog(for: edit.key.collection)
        return HookJob.line(
            edit.key, before: edit.before.map(catalog.typed), after: edit.after.map(catalog.typed))
    }

    /// Applies the records in the output of a program, and shows its other lines.
    ///
    /// Throws `RefusedEdit`. Untyped: with a typed error, Swift 6.3 fails to compile the caller with optimization.
    package func apply(_ result: HookResult, to edits: inout [PlannedEdit], at indices: [Int]) throws {
        let lines = result.output.split(whereSeparator: \.isNewline)
        let messages = lines.filter { !$0.hasPrefix("{") }
        if let failure = result.failure {
            let printed = messages.isEmpty ? "" : ": " + messages.joined(separator: " ").truncatedForDisplay
            throw RefusedEdit("The hook \(result.name) \(failure)\(printed.endingSentence)", advice: advice)
        }
        for line in lines where line.hasPrefix("{") {
            do throws(UnusableAnswer) { try apply(String(line), to: &edits, at: indices) } catch {
                throw RefusedEdit("The hook \(result.name) printed \(error.reason).", advice: advice)
            }
        }
        if !messages.isEmpty { hooks.report(messages.map { "\(result.name): \($0)" }.joined(separator: "\n")) }
    }

    private func apply(_ line: String, to edits: inout [PlannedEdit], at indices: [Int]) throws(UnusableAnswer) {
        // The reason of the parser is a position in the line, which a user of the program can't use.
        guard let members = (try? JSONValue(parsing: line))?.object else {
            throw UnusableAnswer(reason: "a line that begins with { and isn't JSON")
        }
        guard let id = members["id"]?.string else { throw UnusableAnswer(reason: "a record without an id") }
        let collection = members["collection"]?.string
        let index = indices.first { index in
            edits[index].key.id == id && (collection == nil || collection == edits[index].key.collection)
        }
        guard let index else {
            throw UnusableAnswer(reason: "the record \(id.truncatedForDisplay), which the command doesn't change")
        }
        // A deletion can be refused, but not changed.
        guard let after = edits[index].after else { return }
        if members["deleted"]?.bool == true { throw UnusableAnswer(reason: "a deletion, which a hook can't make") }
        guard let fields = members["fields"]?.object else {
            throw UnusableAnswer(reason: "a record without fields")
        }
        // Compared with what the program received: a stored value may have an older form than the typed one.
        let received = types.catalog(for: edits[index].key.collection).typed(after)
        edits[index].after = after.applying(fields.withoutNulls.patch(from: received))
    }
}

/// A line of a program that names no possible change, with the reason as the object of “printed”.
private struct UnusableAnswer: Error {
    let reason: String
}

extension String {
    /// The text with a full stop, unless it ends with a mark that ends a sentence.
    fileprivate var endingSentence: String { last.map { ".!?".contains($0) } == true ? self : self + "." }
}

/// A parser of bytes from outside, with what must hold for every input.
///
/// `Tests/fuzz` gives the targets inputs that libFuzzer makes, and the tests those of the corpora. A new parser gets a
/// target here, in the list of its module, and a directory with a few inputs in `Tests/Fuzzing/Corpus`.
package struct FuzzTarget: Sendable {
    /// The name, also of the directory of its inputs.
    package let name: String
    /// Parses an input. It throws a `Violation` if the parser's result is wrong; an input that the parser refuses with its
    /// declared error is fine.
    package let check: @MainActor @Sendable (_ input: [UInt8]) throws -> Void

    /// A target for a parser of bytes.
    init(bytes name: String, _ check: @escaping @MainActor @Sendable (_ input: [UInt8]) throws -> Void) {
        (self.name, self.check) = (name, check)
    }

    /// A target for a parser of texts. Bytes that aren't UTF-8 are replaced.
    init(text name: String, _ check: @escaping @MainActor @Sendable (_ text: String) throws -> Void) {
        self.init(bytes: name) { try check(String(decoding: $0, as: UTF8.self)) }
    }

    /// All targets.
    package static let all = json + values + wire + server + client + formats + typed + page + lines + answers

    /// Returns the target with a name; nil if there is none.
    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A result of a parser that must not be.
package struct Violation: Error, CustomStringConvertible {
    /// What is wrong, as a clause.
    package let description: String
}

/// Throws a `Violation` unless the condition holds.
func expect(_ condition: Bool, _ words: @autoclosure () -> String) throws {
    if !condition { throw Violation(description: words()) }
}

/// Returns the value, or throws a `Violation` if there is none.
func unwrap<Value>(_ value: Value?, _ words: @autoclosure () -> String) throws -> Value {
    guard let value else { throw Violation(description: words()) }
    return value
}

/// Runs a parser on what was written for it, so that any error is a `Violation`.
func mustParse<Value>(_ written: @autoclosure () -> String, _ parse: () throws -> Value) throws -> Value {
    do { return try parse() } catch {
        throw Violation(description: "what was written isn't parsed (\(error)): \(written())")
    }
}

/// Returns the parts of an input between lines `---`, decoded: for parsers that take several texts. Missing parts are empty.
func parts(_ input: [UInt8], _ count: Int) -> [String] {
    let text = String(decoding: input, as: UTF8.self)
    let found = text.split(separator: "\n---\n", maxSplits: count - 1, omittingEmptySubsequences: false)
    return found.map(String.init) + Array(repeating: "", count: count - found.count)
}

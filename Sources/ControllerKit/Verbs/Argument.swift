/// A typed argument of a verb: its description, and the conversion of an `ArgumentValue` to its `Value`.
public struct Argument<Value: Sendable>: Sendable {
    /// The description for adapters.
    public let spec: ArgumentSpec
    /// Converts a given value. Its error is shown to the user.
    let read: @Sendable (ArgumentValue) throws(Failure) -> Value
    /// The value if the argument is omitted; nil: it is required.
    let absent: Value?

    init(
        _ spec: ArgumentSpec, absent: Value? = nil,
        read: @escaping @Sendable (ArgumentValue) throws(Failure) -> Value
    ) {
        self.spec = spec
        self.absent = absent
        self.read = read
    }

    /// Returns the argument's value in `values`.
    ///
    /// - Throws: `Failure` of category `usage` if it is missing or of the wrong kind.
    func value(in values: ArgumentValues) throws(Failure) -> Value {
        if let given = values[spec.name] { return try read(given) }
        guard let absent else { throw Failure(.usage, "\(spec.name) is missing.") }
        return absent
    }
}

extension ArgumentSpec {
    fileprivate init(_ name: String, _ help: String, _ kind: Kind, _ completion: CompletionKind = .nothing) {
        self.init(name: name, help: help, kind: kind, placement: .position, isRequired: true, completion: completion)
    }

    fileprivate func text(of value: ArgumentValue) throws(Failure) -> String {
        guard case .text(let text) = value else { throw refusal(of: value.description, "a text") }
        return text
    }

    fileprivate func with(_ placement: Placement, isRequired: Bool) -> ArgumentSpec {
        var spec = self
        spec.placement = placement
        spec.isRequired = isRequired
        return spec
    }
}

extension Argument where Value == String {
    /// Creates a text argument: in a line, one word or a text in quotes.
    public static func text(
        _ name: String, help: String = "", completing: CompletionKind = .nothing
    ) -> Self {
        text(ArgumentSpec(name, help, .text, completing))
    }

    /// Creates a reference to a record, as the person typed it. The controller looks it up.
    public static func record(
        _ name: String, help: String = "", completing: CompletionKind = .records
    ) -> Self {
        text(ArgumentSpec(name, help, .record, completing))
    }

    /// Creates an argument that is one of several words.
    public static func choice(_ name: String, _ words: [String], help: String = "") -> Self {
        let spec = ArgumentSpec(name, help, .choice(words), .values(words))
        return Argument(spec) { value throws(Failure) in
            try spec.choice(try spec.text(of: value), of: words)
        }
    }

    /// Creates an argument for a secret, such as a password. It is asked for without echo or read from `--NAME-file`.
    ///
    /// - Parameter isNew: Whether the person chooses it now. It is then asked for twice, because an unnoticed typing
    ///   error would lock the person out.
    public static func secret(_ name: String, help: String = "", isNew: Bool = false) -> Self {
        var spec = ArgumentSpec(name, help, .secret, .files).with(.option, isRequired: true)
        spec.isNewSecret = isNew
        return text(spec)
    }

    /// Creates an argument for the text of a file. A line names the file; other media contain the text itself.
    ///
    /// - Parameters:
    ///   - acceptsFolder: Whether a folder may be named, too. Its text is a JSON object with the paths and texts of its
    ///     Markdown files.
    ///   - folderValues: The values of other arguments, by name, with which a folder is accepted. They may be omitted.
    public static func contents(
        _ name: String, help: String = "", acceptsFolder: Bool = false, folderValues: [String: String] = [:]
    ) -> Self {
        var spec = ArgumentSpec(name, help, .contents, .files)
        spec.acceptsFolder = acceptsFolder
        spec.folderValues = folderValues
        return text(spec)
    }

    private static func text(_ spec: ArgumentSpec) -> Self {
        Argument(spec) { value throws(Failure) in try spec.text(of: value) }
    }
}

extension Argument where Value == Double {
    /// Creates an argument for a finite number.
    public static func number(_ name: String, help: String = "") -> Self {
        let spec = ArgumentSpec(name, help, .number)
        return Argument(spec) { value throws(Failure) in
            switch value {
            case .number(let number) where number.isFinite: return number
            case .integer(let integer): return Double(integer)
            case .number, .text, .flag, .list: throw spec.refusal(of: value.description, "a number")
            }
        }
    }
}

extension Argument where Value == Int {
    /// Creates an argument for an integer.
    public static func integer(_ name: String, help: String = "") -> Self {
        let spec = ArgumentSpec(name, help, .integer)
        return Argument(spec) { value throws(Failure) in
            guard case .integer(let integer) = value else {
                throw spec.refusal(of: value.description, "a whole number")
            }
            return integer
        }
    }
}

extension Argument where Value == Bool {
    /// Creates an option without a value: `--all`.
    public static func flag(_ name: String, help: String = "") -> Self {
        let spec = ArgumentSpec(name, help, .flag).with(.option, isRequired: false)
        return Argument(spec, absent: false) { value throws(Failure) in
            guard case .flag(let flag) = value else { throw spec.refusal(of: value.description, "true or false") }
            return flag
        }
    }
}

extension Argument {
    /// Returns the argument with the name that forms show.
    public func labelled(_ label: String) -> Self { changed { $0.ownLabel = label } }

    /// Returns the argument with the name of the verb that lists the values to choose from.
    public func listed(by verb: String) -> Self { changed { $0.listedBy = verb } }

    /// Returns the argument of a file's contents with the name of another argument, which receives the path of the file.
    public func naming(_ argument: String) -> Self { changed { $0.pathArgument = argument } }

    /// Returns the argument, marked as naming files of this machine. A web page neither offers nor accepts it.
    public func local() -> Self { changed { $0.isLocal = true } }

    /// Returns the argument, as a list whose further parts may follow as words of their own in a line: `1 2-4 7` is the
    /// value `1,2-4,7` if `test` accepts each of the words.
    public func listed(while test: WordTest) -> Self { changed { $0.continuation = test } }

    /// Returns the argument, marked as the confirmation of its command.
    func confirming() -> Self { changed { $0.isConfirmation = true } }

    /// Returns the flag as one that opens the user's editor. A view with an editor sets it if none of `others` is given.
    public func openingEditor(unless others: String...) -> Self { changed { $0.editorUnless = Set(others) } }

    /// Returns the argument with standard input as its default: a line reads it from there if neither it nor any of
    /// `others` is given and standard input isn't a terminal.
    public func fromInput(unless others: String...) -> Self { changed { $0.inputUnless = Set(others) } }

    private func changed(_ change: (inout ArgumentSpec) -> Void) -> Self {
        var spec = spec
        change(&spec)
        return Self(spec, absent: absent, read: read)
    }

    /// Returns a positional argument that may be omitted.
    public static func optional<Wrapped>(_ base: Argument<Wrapped>) -> Self where Value == Wrapped? {
        Argument(base.spec.with(base.spec.placement, isRequired: false), absent: .some(nil)) {
            value throws(Failure) in try base.read(value)
        }
    }

    /// Returns an argument that may be given by name, anywhere in a line: `--title VALUE`.
    public static func option<Wrapped>(_ base: Argument<Wrapped>) -> Self where Value == Wrapped? {
        Argument(base.spec.with(.option, isRequired: false), absent: .some(nil)) {
            value throws(Failure) in try base.read(value)
        }
    }

    /// Returns an argument that is required only with a flag of the verb. A secret is asked for only then.
    public static func with<Wrapped>(_ flag: String, _ base: Argument<Wrapped>) -> Self where Value == Wrapped? {
        option(base).changed { $0.condition = .init(argument: flag, value: .flag(true), isSet: true) }
    }

    /// Returns an argument that is required only with a word of a choice of the verb. A secret is asked for only then.
    public static func with<Wrapped>(
        _ choice: String, _ word: String, _ base: Argument<Wrapped>
    ) -> Self where Value == Wrapped? {
        option(base).changed { $0.condition = .init(argument: choice, value: .text(word), isSet: true) }
    }

    /// Returns an argument that is required unless a flag of the verb is given. A secret is asked for only then.
    public static func without<Wrapped>(_ flag: String, _ base: Argument<Wrapped>) -> Self where Value == Wrapped? {
        option(base).changed { $0.condition = .init(argument: flag, value: .flag(true), isSet: false) }
    }

    /// Returns an argument that contains all remaining words, in order, with tokens such as `+tag` and `key:value`.
    public static func rest(_ base: Argument<String>, isRequired: Bool = false) -> Self where Value == [String] {
        let spec = base.spec.with(.rest, isRequired: isRequired)
        return Argument(spec, absent: isRequired ? nil : []) { value throws(Failure) in
            guard case .list(let words) = value else { throw spec.refusal(of: value.description, "a list of texts") }
            if isRequired, words.isEmpty { throw Failure(.usage, "\(spec.name) is missing.") }
            return try words.map { word throws(Failure) in try base.read(.text(word)) }
        }
    }
}

extension Field {
    /// The column of a field in a list.
    public struct Column: Sendable, Equatable {
        /// The text above the column.
        public let heading: String
        /// The position among the columns; the title has 0. Of two columns with the same number, the one declared first
        /// is first.
        public let order: Int
        /// The layout of the column.
        public let layout: Layout
        /// The prefix of each value: `+` for a tag.
        public let sign: String
        /// The position among the columns for scripts, from 1; nil: after those that have a position.
        public let scriptPlace: Int?

        /// The layout of a column. New cases may be added.
        public enum Layout: Sendable {
            /// In its own column.
            case own
            /// In the column before it.
            case joined
            /// As its sign alone in the column before it, if it has a value.
            case sign
            /// As a word in the first column, if it is not the usual value.
            case mark
        }

        /// Creates a column.
        ///
        /// - Parameters:
        ///   - heading: The text above the column.
        ///   - order: The position: after the title unless it is negative.
        ///   - layout: The layout of the column.
        ///   - sign: The prefix of each value.
        ///   - scriptPlace: The position among the columns for scripts, from 1; nil: after those that have a position.
        public init(
            _ heading: String, order: Int = 20, layout: Layout = .own, sign: String = "", scriptPlace: Int? = nil
        ) {
            self.heading = heading
            self.order = order
            self.layout = layout
            self.sign = sign
            self.scriptPlace = scriptPlace
        }

        /// The column of the title.
        static let title = Column("title", order: 0, scriptPlace: 6)
    }
}

/// The value of a field by its shape, for views. New cases may be added.
public enum FieldContent: Sendable, Equatable {
    /// A text: of a choice the value, of a field with a syntax the short form, or the canonical one if there is none.
    case text(String)
    /// A day or a time.
    case date(DateValue)
    /// A number.
    case number(Double)
    /// True or false.
    case flag(Bool)
    /// A set of texts.
    case texts([String])
}

extension Field {
    /// Returns the content of a stored value; nil if its kind differs from the field's. Such a value is kept in the
    /// record.
    public func content(of value: JSONValue) -> FieldContent? {
        switch kind {
        case .title, .text, .word, .path, .reference: return value.string.map { .text($0) }
        case .choice(let choices, let others):
            guard let text = value.string, others || choices.contains(where: { $0.value == text }) else { return nil }
            return .text(text)
        case .custom(let syntax):
            return value.string.flatMap(syntax.canonical).map { .text(syntax.scriptText($0) ?? $0) }
        case .moment: return Timestamp.read(value).map { .date(.time($0)) }
        case .date: return DateValue.read(value).map { .date($0) }
        case .number: return value.double.map { .number($0) }
        case .flag: return value.bool.map { .flag($0) }
        case .words, .references: return value.array.map { .texts($0.compactMap(\.string)) }
        case .any: return .text(value.string ?? value.text)
        case .annotations: return nil
        }
    }

    /// Returns a text value as it is displayed: the label of a choice, `every 2 weeks` for the interval `2w`, any other
    /// text unchanged.
    public func words(for text: String) -> String {
        switch kind {
        case .choice(let choices, _): choices.first { $0.value == text }?.label ?? text
        case .custom(let syntax): syntax.words(text)
        case .title, .text, .word, .path, .words, .moment, .date, .number, .flag, .annotations, .reference, .references,
            .any:
            text
        }
    }

    /// Returns a text value as a list shows it: `last Fri` for `FREQ=MONTHLY;BYDAY=-1FR`, any other text unchanged.
    public func listText(for text: String) -> String {
        if case .custom(let syntax) = kind { syntax.listText(text) } else { text }
    }

    /// Returns the short form of a value with a syntax of its own: `2w`; nil if there is none.
    public func scriptText(of value: JSONValue) -> String? {
        guard case .custom(let syntax) = kind else { return nil }
        return value.string.flatMap(syntax.canonical).flatMap(syntax.scriptText)
    }

    /// Returns the canonical text of a value that has a short form: for the interval `2w`, `FREQ=WEEKLY;INTERVAL=2`.
    public func canonicalText(of value: JSONValue) -> String? {
        guard case .custom(let syntax) = kind, let text = value.string.flatMap(syntax.canonical),
            syntax.scriptText(text) != nil
        else { return nil }
        return text
    }

    /// Whether values may be long, so that a column may be cut.
    public var isWide: Bool {
        switch kind {
        case .title, .text, .word, .path, .words, .reference, .references, .any: true
        case .choice, .moment, .date, .number, .flag, .annotations, .custom: false
        }
    }
}

extension Field {
    /// How a list shows a field.
    public struct Column: Sendable, Equatable {
        /// The text above it.
        public let heading: String
        /// Columns are in this order; the title has 0. Of two with one number, the one that is declared first comes first.
        public let order: Int
        /// How it is laid out.
        public let layout: Layout
        /// The prefix of each value: `+` of a tag.
        public let sign: String
        /// Its place among the columns for scripts, from 1; nil: after those that have one.
        public let scriptPlace: Int?

        /// How a column is laid out.
        public enum Layout: Sendable {
            /// In a column of its own.
            case own
            /// In the column before it.
            case joined
            /// As a word in the first column, where it is not the usual value.
            case mark
        }

        /// A column.
        ///
        /// - Parameter order: Behind the title unless it is negative.
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

/// A field's value by its shape, for what shows it.
public enum FieldContent: Sendable, Equatable {
    /// A text; of a choice its value, of a field with a syntax the canonical form.
    case text(String)
    /// A moment.
    case moment(Timestamp)
    /// A number.
    case number(Double)
    /// True or false.
    case flag(Bool)
    /// A set of texts.
    case texts([String])
}

extension Field {
    /// The content of a stored value; nil if it is of another kind than the field's. Such a value stays in the record.
    public func content(of value: JSONValue) -> FieldContent? {
        switch kind {
        case .title, .text, .word, .path: return value.string.map { .text($0) }
        case .choice(let choices, let others):
            guard let text = value.string, others || choices.contains(where: { $0.value == text }) else { return nil }
            return .text(text)
        case .custom(let syntax): return value.string.flatMap(syntax.canonical).map { .text($0) }
        case .moment: return Timestamp.read(value).map { .moment($0) }
        case .number: return value.double.map { .number($0) }
        case .flag: return value.bool.map { .flag($0) }
        case .words: return value.array.map { .texts($0.compactMap(\.string)) }
        case .any: return .text(value.string ?? value.text)
        case .remarks: return nil
        }
    }

    /// A text value as people read it: the label of a choice, `every 2 weeks` for the interval `2w`; any other text as it is.
    public func words(for text: String) -> String {
        switch kind {
        case .choice(let choices, _): choices.first { $0.value == text }?.label ?? text
        case .custom(let syntax): syntax.words(text)
        case .title, .text, .word, .path, .words, .moment, .number, .flag, .remarks, .any: text
        }
    }

    /// Whether values may be long, so that a column may be cut.
    public var isWide: Bool {
        switch kind {
        case .title, .text, .word, .path, .words, .any: true
        case .choice, .moment, .number, .flag, .remarks, .custom: false
        }
    }
}

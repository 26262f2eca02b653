public import Records

/// The settings of a user, with their defaults. ``Setting`` declares each of them: its name, its values and its help.
public struct Settings: Sendable, Equatable {
    /// User-defined names for commands, as words: `urgent` for `list priority:H`.
    public var aliases: [String: [String]] = [:]
    /// The filter of `list` without words; empty: open records.
    public var defaultList: [String] = []
    /// The columns of a list, in this order, by the names of ``ListColumn``; empty: those of the record types.
    public var columns: [String] = []
    /// The colours.
    public var theme = ThemeChoice.auto
    /// The first day of the week: for `week`, `eow` and `next week`.
    public var weekStart = WeekStart.auto
    /// The form of dates.
    public var dateStyle = DateWords.Style.relative
    /// The number of records above which a change asks for a confirmation; nil: no number.
    public var confirmationLimit: Int? = Settings.defaultConfirmationLimit
    /// The use of a date at the end of a title.
    public var titleDates = TitleDates.offer
    /// The program that stores the tokens of sessions, and its arguments; empty: they are in the home.
    public var credentialCommand: [String] = []

    /// The default of ``confirmationLimit``.
    public static let defaultConfirmationLimit = 10

    /// Creates the default settings.
    public init() {}

    /// The colours of the terminal. New cases may be added.
    public enum ThemeChoice: String, Sendable, CaseIterable {
        /// As the terminal's background requires.
        case auto
        /// For a light background, a dark one, or both.
        case light, dark, neutral
        /// The first 16 colours of the terminal's own palette.
        case basic
        /// No colours.
        case none
    }

    /// The first day of the week.
    public enum WeekStart: String, Sendable, CaseIterable {
        /// That of the system's region.
        case auto
        /// This day.
        case monday, tuesday, wednesday, thursday, friday, saturday, sunday

        /// The number of the day, with 1 for Sunday as in `Calendar`; nil: that of the system's region.
        public var weekday: Int? {
            switch self {
            case .auto: nil
            case .sunday: 1
            case .monday: 2
            case .tuesday: 3
            case .wednesday: 4
            case .thursday: 5
            case .friday: 6
            case .saturday: 7
            }
        }
    }

    /// The use of a date at the end of a title. New cases may be added.
    public enum TitleDates: String, Sendable, CaseIterable {
        /// The command that uses it is shown.
        case offer
        /// It becomes the deadline.
        case use
    }
}

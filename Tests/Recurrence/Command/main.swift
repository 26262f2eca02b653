import Foundation
import Records

// Computes the occurrences of rules, for a comparison with python-dateutil (Tests/recurrence). It reads one question per
// line and prints one answer per line. The fields of a question are separated by tabs: the rule, the start, the time zone,
// the first day of interest, the day before which the answer ends, and the days whose moments are asked, separated by
// spaces:
//
//     FREQ=DAILY  2026-03-27T02:30:00  Europe/Berlin  2026-03-28  2026-03-30  2026-03-29
//
// The answer has the days of the occurrences as numbers of days since 1970, a tab, and the moments in seconds since 1970:
//
//     20540 20541  1774747800
//
// or `error`, a tab and the reason.

struct InvalidLine: Error, CustomStringConvertible {
    let description: String
}

func answer(_ line: String) throws -> String {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 6, let start = LocalDateTime(fields[1]), let zone = TimeZone(identifier: fields[2]),
        let notBefore = CalendarDay(fields[3]), let before = CalendarDay(fields[4])
    else { throw InvalidLine(description: "a field is missing or invalid") }
    let asked = Set(fields[5].split(separator: " ").compactMap { CalendarDay(String($0)) })
    let rule = try RecurrenceRule(parsing: fields[0])
    // A rule that is printed is the same rule.
    guard try RecurrenceRule(parsing: rule.description) == rule else {
        throw InvalidLine(description: "\(rule) is parsed as another rule")
    }
    var days: [String] = []
    var moments: [String] = []
    for time in rule.occurrences(from: start, in: zone, notBefore: notBefore) {
        if time.day >= before { break }
        days.append(String(time.day.daysSince1970))
        if asked.contains(time.day) { moments.append(String(time.moment(in: zone).seconds)) }
    }
    return days.joined(separator: " ") + "\t" + moments.joined(separator: " ")
}

while let line = readLine() {
    do {
        print(try answer(line))
    } catch {
        print("error\t\(error)")
    }
}

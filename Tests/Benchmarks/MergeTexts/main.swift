import Foundation
import Records

// Satchel's merge of three texts as a minimal process, compared with `git merge-file`: MergeTexts BASE ONE OTHER.

let arguments = CommandLine.arguments
guard arguments.count == 4 else {
    print("usage: MergeTexts BASE ONE OTHER")
    exit(2)
}

/// A note with the text of a file as its body.
func note(_ path: String, at milliseconds: UInt64) throws -> ThreeWayMerge.Side {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return ThreeWayMerge.Side(
        fields: ["title": "Note", "body": .string(text)],
        clock: FieldClocks(all: HLC(milliseconds: milliseconds, device: "device-\(milliseconds)")))
}

let merged = ThreeWayMerge.merge(
    base: try note(arguments[1], at: 1), mine: try note(arguments[2], at: 2), theirs: try note(arguments[3], at: 3),
    type: NoteRecord.type)
print(merged.fields["body"]?.string ?? "", terminator: "")
exit(merged.conflicts.isEmpty ? 0 : 1)

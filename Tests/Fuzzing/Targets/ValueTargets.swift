internal import Backend
internal import Foundation
internal import Records
internal import SyncAPI

// Small values: ids, names, clocks, addresses.
extension FuzzTarget {
    static let values = [
        FuzzTarget(text: "clock") { text in
            if let clock = HLC(text) {
                try expect(clock.description == text, "the time is written as \(clock)")
                let next = clock.next
                try expect(next > clock || next == clock && clock.counter == .max, "the next time isn't later")
                try expect(next.description > text || next == clock, "texts sort in another order than times")
                try expect(HLC(next.description) == next, "the next time has no text")
                let now = HLC.now(wall: 0, after: clock, device: "d")
                try expect(now > clock || clock.next == clock, "an edit isn't after what was seen")
            }
            guard let json = try? JSONValue(parsing: text), let clocks = FieldClocks(json: json) else { return }
            try expect(FieldClocks(json: clocks.json) == clocks, "clocks are written as others")
            if let fields = json.object {
                try expect(clocks.only(of: fields) == clocks, "clocks of all fields are fewer")
            }
        },
        FuzzTarget(text: "id") { text in
            if UUIDText.isValid(text) {
                let (letters, small) = (ShortID.whole(text), text.lowercased())
                if small == text {
                    try expect(ShortID.idPrefix(of: letters) == text, "the letters of an id mean another one")
                }
            }
            if let prefix = ShortID.idPrefix(of: text) {
                try expect(prefix.utf8.count <= 36, "the beginning of an id is longer than an id")
                try expect(RecordKey.isIdentifier(prefix), "the beginning of an id isn't one: \(prefix)")
            }
            if RecordKey.isIdentifier(text) { try expect(text.utf8.count <= 64, "an id is long") }
            if let name = Username(text) {
                try expect(Username(name.text) == name, "a user name is read as another")
                try expect(name.text.utf8.count <= 64, "a user name is long")
            }
            _ = Password(text)
            if let set = CollectionSet(text: text) {
                try expect(CollectionSet(text: set.text ?? "") == set, "collections are written as others")
            }
            if let digest = SpaceDigest(text) {
                try expect(SpaceDigest(digest.description) == digest, "a digest is written as another")
            }
        },
        FuzzTarget(text: "address") { text in
            if let address = IPAddress(text) {
                try expect(IPAddress(address.description) == address, "an address is written as another")
                _ = (address.subscriber, address.isLoopback)
            }
            let address: ServerAddress
            do throws(ServerAddress.Malformed) { address = try ServerAddress(text) } catch {
                try expect(!error.message.isEmpty, "an error without a message")
                return
            }
            let again = try mustParse(address.description) { try ServerAddress(address.description) }
            try expect(again == address, "\(address) is read as \(again)")
        },
    ]
}

internal import CanonicalJSON
internal import Records
internal import ServerCore

// JSON, and the changes of objects by JSON.
extension FuzzTarget {
    static let json = [
        FuzzTarget(bytes: "json") { input in
            let value: JSONValue
            do throws(JSONError) { value = try JSONValue(parsing: input) } catch {
                try expect((0...input.count).contains(error.offset), "the place \(error.offset) isn't in the text")
                return
            }
            let text = value.text
            // Escapes and white space are at most as long as they were.
            try expect(text.utf8.count <= input.count, "the text is longer than what was parsed")
            try expect(try mustParse(text) { try JSONValue(parsing: text) } == value, "the text is another value")
            let canonical = value.canonical
            let again = try mustParse(canonical) { try JSONValue(parsing: canonical) }
            try expect(again == value, "the canonical form is another value")
            try expect(again.canonical == canonical, "the canonical form isn't canonical")
        },
        FuzzTarget(bytes: "merge-patch") { input in
            let texts = parts(input, 2)
            guard let target = try? JSONValue(parsing: texts[0]).object,
                let patch = try? JSONValue(parsing: texts[1]).object
            else { return }
            let patched = MergePatch.apply(patch, to: target)
            try expect(MergePatch.apply(patch, to: patched) == patched, "a merge patch that is applied twice differs")
            for (name, value) in patch {
                try expect((patched[name] == nil) == value.isNull, "“\(name)” has another value than in the patch")
            }
            let (old, new) = (target.withoutNulls, patch.withoutNulls)
            try expect(old.applying(new.patch(from: old)) == new, "the difference of two objects yields another object")
            try expect(
                (try? JSONValue(parsing: patched.text).object) == patched, "a patched object is written as another")
        },
    ]
}

extension ThreeWayMerge.Side {
    /// Whether this is what comes after a task that was done, once more, after a deletion had taken it back.
    ///
    /// The moment of the predecessor's id tells: in what a completion makes it is that of the completion; in what was taken
    /// back, that of the taking back, which isn't carried. One that somebody deleted stays deleted.
    func isMadeAgain(after deletion: Self) -> Bool {
        let name = TaskRecord.RepeatField.predecessor
        guard fields[name] != nil, let taken = deletion.clock[name], !taken.isCarried, let made = clock[name] else {
            return false
        }
        return taken < made
    }
}

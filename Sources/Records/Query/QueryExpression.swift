// The grammar of a filter: `not` binds most tightly, then `and`, then `or`, then `xor`, as in Taskwarrior; conditions
// without an operator between them are combined as by `and`.
extension QueryParser {
    /// The maximum depth of parentheses and saved filters in each other. It bounds the stack of the recursion.
    private static let maximumDepth = 50

    /// Parses the parts of a filter and adds them to the conditions.
    mutating func read(_ parts: [FilterPart]) throws(InputError) { trees += try expression(parts).conjuncts }

    /// Parses the parts of a search. Returns the words to be found; the other parts become conditions.
    mutating func readSearch(_ parts: [FilterPart]) throws(InputError) -> [String] {
        var sought: [String] = []
        var others: [FilterPart] = []
        for part in parts {
            switch part {
            case .text(let text): sought.append(text)
            case .word(let word):
                if try readOption(word) { continue }
                let condition = try tree(word)
                // Only words that were typed to be found go to the index; those of a saved filter stay conditions, with
                // the meaning of `list`.
                if case .condition(.text(let text, _), _) = condition {
                    sought.append(text)
                } else {
                    trees.append(condition)
                }
            case .operator, .group, .saved: others.append(part)
            }
        }
        try read(others)
        return sought
    }

    /// Parses a word that isn't an option.
    private mutating func tree(_ word: String) throws(InputError) -> FilterTree {
        named = []
        let condition = try term(word)
        return .condition(condition, named)
    }

    private mutating func expression(_ parts: [FilterPart]) throws(InputError) -> FilterTree {
        try enterGroup()
        var rest = try conditions(in: parts)[...]
        if rest.isEmpty {
            depth -= 1
            return .all([])
        }
        let tree = try exclusiveDisjunction(&rest, after: nil)
        // An expression ends at the end of the parts or at a closing parenthesis.
        if !rest.isEmpty { throw .filter(.unpairedParenthesis(")")) }
        depth -= 1
        return tree
    }

    /// Applies the options among the parts, and returns the others.
    private mutating func conditions(in parts: [FilterPart]) throws(InputError) -> [FilterPart] {
        var conditions: [FilterPart] = []
        for part in parts {
            guard case .word(let word) = part, try readOption(word) else {
                conditions.append(part)
                continue
            }
            if conditions.last == .operator(.not) { throw .filter(.negatedOption(word)) }
        }
        return conditions
    }

    /// - Parameter previous: The operator before the parts; nil: there is none.
    private mutating func exclusiveDisjunction(
        _ rest: inout ArraySlice<FilterPart>, after previous: FilterPart.Operator?
    ) throws(InputError) -> FilterTree {
        var trees = [try disjunction(&rest, after: previous)]
        while rest.first == .operator(.xor) {
            rest.removeFirst()
            trees.append(try disjunction(&rest, after: .xor))
        }
        return trees.count == 1 ? trees[0] : .xor(trees)
    }

    private mutating func disjunction(
        _ rest: inout ArraySlice<FilterPart>, after previous: FilterPart.Operator?
    ) throws(InputError) -> FilterTree {
        var trees = [try conjunction(&rest, after: previous)]
        while rest.first == .operator(.or) {
            rest.removeFirst()
            trees.append(try conjunction(&rest, after: .or))
        }
        return trees.count == 1 ? trees[0] : .any(trees)
    }

    private mutating func conjunction(
        _ rest: inout ArraySlice<FilterPart>, after previous: FilterPart.Operator?
    ) throws(InputError) -> FilterTree {
        var trees = try negation(&rest, after: previous).conjuncts
        while let next = rest.first, next != .operator(.or), next != .operator(.xor), next != .operator(.close) {
            let isAnd = next == .operator(.and)
            if isAnd { rest.removeFirst() }
            trees += try negation(&rest, after: isAnd ? .and : nil).conjuncts
        }
        return trees.count == 1 ? trees[0] : .all(trees)
    }

    private mutating func negation(
        _ rest: inout ArraySlice<FilterPart>, after previous: FilterPart.Operator?
    ) throws(InputError) -> FilterTree {
        var (previous, isNegated) = (previous, false)
        while rest.first == .operator(.not) {
            rest.removeFirst()
            previous = .not
            isNegated.toggle()
        }
        let tree = try operand(&rest, after: previous)
        return isNegated ? .condition(.not(tree.term), tree.names) : tree
    }

    private mutating func operand(
        _ rest: inout ArraySlice<FilterPart>, after previous: FilterPart.Operator?
    ) throws(InputError) -> FilterTree {
        guard let part = rest.popFirst() else { throw .filter(.missingCondition((previous ?? .and).rawValue)) }
        switch part {
        case .word(let word): return try tree(word)
        case .text(let text): return .condition(.text(text, in: types.catalog.searched), [])
        case .group(let parts): return try expression(parts)
        case .saved(let name, nil): return .condition(.text("@" + name, in: types.catalog.searched), [])
        case .saved(_, let parts?): return try savedFilter(parts)
        case .operator(.open):
            try enterGroup()
            let tree = try exclusiveDisjunction(&rest, after: .open)
            guard rest.popFirst() == .operator(.close) else { throw .filter(.unpairedParenthesis("(")) }
            depth -= 1
            return tree
        case .operator(.close):
            guard let previous else { throw .filter(.unpairedParenthesis(")")) }
            throw .filter(.missingCondition(previous.rawValue))
        case .operator(let other): throw .filter(.missingCondition(other.rawValue))
        }
    }

    /// Parses the parts of a saved filter, which mean the same as in `list`.
    private mutating func savedFilter(_ parts: [FilterPart]) throws(InputError) -> FilterTree {
        let (wasInSaved, knewKeywords) = (isInSaved, knowsKeywords)
        isInSaved = true
        knowsKeywords = true
        let tree = try expression(parts)
        isInSaved = wasInSaved
        knowsKeywords = knewKeywords
        return tree
    }

    private mutating func enterGroup() throws(InputError) {
        depth += 1
        if depth > Self.maximumDepth { throw .filter(.tooDeep(maximum: Self.maximumDepth)) }
    }
}

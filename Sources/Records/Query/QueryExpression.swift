// The grammar of a filter: `not` binds more tightly than `and`, which binds more tightly than `or`; conditions without a
// sign between them are combined as by `and`.
extension QueryParser {
    /// The maximum depth of parentheses and saved filters in each other. It bounds the stack of the recursion.
    private static let maximumDepth = 50

    /// Parses the parts of a filter and adds them to the conditions.
    mutating func read(_ parts: [FilterPart]) throws(InputError) { terms += try expression(parts).conjuncts }

    /// Parses the parts of a search. Returns the words to be found; the other parts become conditions.
    mutating func readSearch(_ parts: [FilterPart]) throws(InputError) -> [String] {
        var sought: [String] = []
        var others: [FilterPart] = []
        for part in parts {
            switch part {
            case .text(let text): sought.append(text)
            case .word(let word):
                if try readOption(word) { continue }
                let condition = try term(word)
                // Only words that were typed to be found go to the index; those of a saved filter stay conditions, with
                // the meaning of `list`.
                if case .text(let text, _) = condition { sought.append(text) } else { terms.append(condition) }
            case .sign, .group, .saved: others.append(part)
            }
        }
        try read(others)
        return sought
    }

    private mutating func expression(_ parts: [FilterPart]) throws(InputError) -> Term {
        try enterGroup()
        var rest = try conditions(in: parts)[...]
        if rest.isEmpty {
            depth -= 1
            return .all([])
        }
        let term = try disjunction(&rest, after: nil)
        // A disjunction ends at the end of the parts or at a closing parenthesis.
        if !rest.isEmpty { throw .filter(.unpairedParenthesis(")")) }
        depth -= 1
        return term
    }

    /// Applies the options among the parts, and returns the others.
    private mutating func conditions(in parts: [FilterPart]) throws(InputError) -> [FilterPart] {
        var conditions: [FilterPart] = []
        for part in parts {
            guard case .word(let word) = part, try readOption(word) else {
                conditions.append(part)
                continue
            }
            if conditions.last == .sign(.not) { throw .filter(.negatedOption(word)) }
        }
        return conditions
    }

    /// - Parameter sign: The sign before the parts; nil: there is none.
    private mutating func disjunction(
        _ rest: inout ArraySlice<FilterPart>, after sign: FilterPart.Sign?
    ) throws(InputError) -> Term {
        var terms = [try conjunction(&rest, after: sign)]
        while rest.first == .sign(.or) {
            rest.removeFirst()
            terms.append(try conjunction(&rest, after: .or))
        }
        return .one(of: terms)
    }

    private mutating func conjunction(
        _ rest: inout ArraySlice<FilterPart>, after sign: FilterPart.Sign?
    ) throws(InputError) -> Term {
        var terms = try negation(&rest, after: sign).conjuncts
        while let next = rest.first, next != .sign(.or), next != .sign(.close) {
            let isAnd = next == .sign(.and)
            if isAnd { rest.removeFirst() }
            terms += try negation(&rest, after: isAnd ? .and : nil).conjuncts
        }
        return terms.count == 1 ? terms[0] : .all(terms)
    }

    private mutating func negation(
        _ rest: inout ArraySlice<FilterPart>, after sign: FilterPart.Sign?
    ) throws(InputError) -> Term {
        var (sign, isNegated) = (sign, false)
        while rest.first == .sign(.not) {
            rest.removeFirst()
            sign = .not
            isNegated.toggle()
        }
        let term = try operand(&rest, after: sign)
        return isNegated ? .not(term) : term
    }

    private mutating func operand(
        _ rest: inout ArraySlice<FilterPart>, after sign: FilterPart.Sign?
    ) throws(InputError) -> Term {
        guard let part = rest.popFirst() else { throw .filter(.missingCondition((sign ?? .and).rawValue)) }
        switch part {
        case .word(let word): return try term(word)
        case .text(let text): return .text(text, in: types.catalog.searched)
        case .group(let parts): return try expression(parts)
        case .saved(let name, nil): return .text("@" + name, in: types.catalog.searched)
        case .saved(_, let parts?): return try savedFilter(parts)
        case .sign(.open):
            try enterGroup()
            let term = try disjunction(&rest, after: .open)
            guard rest.popFirst() == .sign(.close) else { throw .filter(.unpairedParenthesis("(")) }
            depth -= 1
            return term
        case .sign(.close):
            guard let sign else { throw .filter(.unpairedParenthesis(")")) }
            throw .filter(.missingCondition(sign.rawValue))
        case .sign(let other): throw .filter(.missingCondition(other.rawValue))
        }
    }

    /// Parses the parts of a saved filter, which mean the same as in `list`.
    private mutating func savedFilter(_ parts: [FilterPart]) throws(InputError) -> Term {
        let (wasInSaved, knewKeywords) = (isInSaved, knowsKeywords)
        isInSaved = true
        knowsKeywords = true
        let term = try expression(parts)
        isInSaved = wasInSaved
        knowsKeywords = knewKeywords
        return term
    }

    private mutating func enterGroup() throws(InputError) {
        depth += 1
        if depth > Self.maximumDepth { throw .filter(.tooDeep(maximum: Self.maximumDepth)) }
    }
}

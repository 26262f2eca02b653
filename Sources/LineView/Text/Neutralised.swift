internal import ControllerKit

extension String {
    /// The text with everything taken out of force that could steer a terminal or reorder what is read, scalar by scalar
    /// (`harmless`). Line feeds and tabs stay where several lines are shown, and become a space and a picture elsewhere.
    public func neutralised(keepingLines: Bool = false) -> String {
        guard unicodeScalars.contains(where: { $0.value < 0x20 || $0.harmless != $0 }) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars { result.append(keepingLines ? scalar.harmless : scalar.harmlessInLine) }
        return String(result)
    }
}

extension Unicode.Scalar {
    fileprivate var harmlessInLine: Unicode.Scalar {
        switch self {
        case "\n": " "
        case "\t": "\u{2409}"
        default: harmless
        }
    }
}

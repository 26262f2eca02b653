/// The rule of the sample: a pure function, so that it is right before any view exists and after each change.
func isInsideZone(x: Double, y: Double) -> Bool { (0...10).contains(x) && (0...10).contains(y) }

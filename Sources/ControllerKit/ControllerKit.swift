// ControllerKit

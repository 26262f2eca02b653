internal import ControllerKit

extension Site {
    /// Performs the verb that a form of selected records names, on all of them as one command.
    func submitSelection(_ parameters: Parameters, at: PageAddress, _ session: PageSession) async -> PageAnswer {
        let input = SelectionInput(parameters)
        let command: SelectionCommand
        do throws(Failure) { command = try SelectionCommand(parameters, in: catalog.screens) } catch {
            session.flash = Flash(failure: error.message, selection: input)
            return .see(at.text)
        }
        let (verb, screen) = (command.verb, command.screen)
        let work = session.begin(verb.name, at: progressAddress(of: verb, on: screen, at: at)) { [self] in
            do { return try await perform(verb, of: screen, command.values, at: at, session) } catch {
                let confirmation = Confirmation(of: error, verb, path: SelectionInput.path, parameters)
                session.flash = Flash(
                    failure: confirmation == nil ? Failure(error).message : "", confirmation: confirmation,
                    selection: input)
                return at
            }
        }
        return .see(await address(awaiting: work, session).text)
    }

    /// Returns the page that asks for a confirmation.
    func question(_ flash: Flash, at address: PageAddress, _ session: PageSession) -> PageAnswer? {
        guard let confirmation = flash.confirmation else { return nil }
        // If the user cancels, the form has its input again.
        session.flash = Flash(typed: flash.typed, selection: flash.selection)
        let model = ConfirmationModel(
            confirmation, brand: design.program.name, csrf: session.csrf, back: address)
        return .html(200, templates.html("confirm", model))
    }
}

// The dialogs: see the instruction.

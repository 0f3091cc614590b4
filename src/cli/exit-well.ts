import { heldOpen } from './held-open.ts'
import { terminal } from './terminal.ts'

/** Says what holds a process open that exits. */
export function heldText(held: readonly string[]): string {
  return `exits although ${held.join(', ')} of the agent's file or of abandoned work is still open`
}

/**
 * Returns the exit code of a command that has run code of an agent file. If that file, or abandoned work, holds the process open,
 * says what it is and exits (HO10). `before` is what held the process open when the command began.
 */
export async function exitWell(code: number, before: readonly string[], json: boolean): Promise<number> {
  const held = await heldOpen(before)
  if (held.length === 0) return code
  if (json) terminal.json({ heldOpen: held })
  else terminal.complain(heldText(held))
  await terminal.flush()
  return process.exit(code)
}

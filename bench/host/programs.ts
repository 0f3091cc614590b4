import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const built = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Makes a folder with the programs of a host, which load the compiled sources. The processes of the host are found by the
 * name of the folder in their command line.
 */
export function makePrograms(): string {
  const folder = mkdtempSync(join(built, 'host-'))
  const program = (name: string, text: string): void => writeFileSync(join(folder, `${name}.js`), text)
  program('host', "import '../test/crash/host.js'\n")
  program('probe', "import '../test/soak/probe.js'\n")
  program('agent', "export { default } from '../bench/host/agent.js'\n")
  return folder
}

import path from 'node:path'
import type { Plugin } from 'vite'
import { compile } from '../compile.ts'
import type { WorldName } from './world-names.ts'

/** Compiles the simulation of one world into a folder from which Node finds `node_modules`. Returns the program. */
export async function compileSim(
  world: WorldName,
  folder: string,
  plugins: readonly Plugin[] = [],
): Promise<string> {
  await compile({ entries: { sim: 'test/sim/run.ts' }, folder, plugins: [...plugins, withOnly(world)] })
  return path.join(folder, 'sim.js')
}

/** Leaves the other worlds out, which take longer to compile than many lives. */
function withOnly(world: WorldName): Plugin {
  return {
    name: 'one world',
    enforce: 'pre',
    load(id) {
      const other = /\/(\w+)-life\.ts$/.exec(id)?.[1]
      return other === undefined || other === world ? undefined : `export const ${other}Life = undefined`
    },
  }
}

/**
 * Options of V8 with which lives are simulated about twice as fast. Lives are short, so objects that V8 would allocate in the old
 * generation, because some like them have survived, only keep dead lives alive. Errors are expected, and their stacks are not read.
 */
export const fast = ['--stack-trace-limit=0', '--no-allocation-site-pretenuring', '--single-threaded-gc']

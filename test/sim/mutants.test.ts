import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { mutants, type Mutant } from './mutants.ts'

const root = path.resolve(import.meta.dirname, '../..')
const tsx = path.join(root, 'node_modules/tsx/dist/cli.mjs')
const run = promisify(execFile)
/** How many lives each world gets to notice a mutant, and how many must pass without one. */
const seedsOf: Readonly<Record<string, number>> = { scope: 3_000, session: 600 }

/** Simulates a copy of the source that the mutant has broken. Returns the summary of `npm run sim -- --json`. */
async function simulateCopy(
  world: string,
  seeds: number,
  mutant?: Mutant,
): Promise<{ seeds: number; violations: number }> {
  const copy = await mkdtemp(path.join(tmpdir(), 'endwell-mutant-'))
  try {
    for (const folder of ['src', 'test/sim', 'test/matrix', 'tools', 'package.json']) {
      await cp(path.join(root, folder), path.join(copy, folder), { recursive: true })
    }
    await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'), 'junction')
    if (mutant) await mutate(path.join(copy, 'src', mutant.file), mutant)
    const args = [tsx, 'test/sim/main.ts', '--world', world, '--seeds', String(seeds), '--stop', '--json']
    const { stdout } = await run(process.execPath, args, { cwd: copy, timeout: 120_000 }).catch(
      // The simulation exits with 1 if a rule is broken, but prints its summary in any case.
      (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
    )
    const lastLine = stdout.trim().split('\n').at(-1) ?? ''
    return JSON.parse(lastLine) as { seeds: number; violations: number }
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

async function mutate(file: string, { name, find, replace }: Mutant): Promise<void> {
  const source = await readFile(file, 'utf8')
  const places = source.split(find).length - 1
  if (places !== 1) throw new Error(`mutant '${name}': its text occurs ${places} times in ${file}, not once`)
  await writeFile(
    file,
    source.replace(find, () => replace),
  )
}

describe.concurrent('the simulation notices', { timeout: 180_000 }, () => {
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
    const { world = 'scope' } = mutant
    const { violations } = await simulateCopy(world, seedsOf[world]!, mutant)
    expect(violations).toBeGreaterThan(0)
  })

  it.each(Object.entries(seedsOf))('no violation in the world %s without a mutant', async (world, seeds) => {
    expect(await simulateCopy(world, seeds)).toMatchObject({ seeds, violations: 0 })
  })
})

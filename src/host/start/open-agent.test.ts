import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { reportMissing } from '../../providers/find-package.ts'
import { Agent } from '../../session/index.ts'
import { ScriptedLlm, ScriptedTts } from '../../testing/index.ts'
import { missingImports } from './missing-imports.ts'
import { openAgent } from './open-agent.ts'

let folder = ''
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'endwell-open-'))))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes the files of a project. Returns the path of the first. */
function project(files: Readonly<Record<string, string>>): string {
  const own = mkdtempSync(join(folder, 'project-'))
  for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files })) {
    mkdirSync(dirname(join(own, name)), { recursive: true })
    writeFileSync(join(own, name), text)
  }
  return join(own, Object.keys(files)[0]!)
}

const scripted = { llm: new ScriptedLlm(), tts: new ScriptedTts() }

/** An agent file whose models are made by this function. */
function agentWith(models: () => object, more: object = {}): string {
  const made = { name: 'Desk', agent: new Agent({ instructions: '' }), models, ...more }
  // The file is loaded as Node loads it, with modules of its own: it finds the models in the process.
  Object.assign(process, { agentFileOfTheTest: made })
  return project({ 'agent.js': 'export default process.agentFileOfTheTest' })
}

/** What the constructor of a model does that needs a package. */
const needs = (name: string): void => reportMissing(name, () => new Error(`${name} is missing`))

describe('openAgent', () => {
  it.each([
    [{ tools: 'some' }, "tools must be hidden, names or all, not 'some'"],
    [{ tool: 'all' }, "'tools'"],
  ])('[HO11] says what is wrong with the options for RTVI clients: %o', async (rtvi, problem) => {
    await expect(openAgent(agentWith(() => scripted, { rtvi }))).rejects.toMatchObject({
      code: 'AGENT_FILE',
      message: expect.stringContaining(problem) as string,
    })
  })

  it('[HO11] names all packages that the models need and that are missing, with one command', async () => {
    const path = agentWith(() => {
      needs('flite')
      needs('@scope/ears')
      return scripted
    })
    await expect(openAgent(path)).rejects.toMatchObject({
      code: 'PACKAGES_MISSING',
      packages: ['flite', '@scope/ears'],
      message: `${path} needs the packages flite and @scope/ears, which are not installed. Run: npm install flite @scope/ears`,
    })
    // Outside of the check, a constructor throws.
    expect(() => needs('flite')).toThrow('flite is missing')
  })

  it('[HO11] names missing packages, and not an error that follows from them', async () => {
    const path = agentWith(() => {
      needs('flite')
      throw new TypeError('undefined is not a voice')
    })
    await expect(openAgent(path)).rejects.toThrow(
      'needs the package flite, which is not installed. Run: npm install flite',
    )
    expect(() => needs('flite')).toThrow('flite is missing')
  })

  it('[HO11] names all packages that the file and what it imports need', async () => {
    const path = project({
      'agent.js': `import { z } from 'a-package-that-is-missing'\nimport './tools/calendar.js'\nexport default z`,
      'tools/calendar.js': `import { all } from '@missing/calendar/client'`,
    })
    await expect(openAgent(path)).rejects.toMatchObject({
      packages: ['a-package-that-is-missing', '@missing/calendar'],
    })
  })

  it('returns the file and its models', async () => {
    const { file, models } = await openAgent(agentWith(() => scripted))
    expect(file.name).toBe('Desk')
    expect(models).toBe(scripted)
  })
})

describe('missingImports', () => {
  it('reads imports as Node does', () => {
    const path = project({
      'agent.ts': `
        // import 'a-comment'
        /* import 'another-comment' */
        import type { Agent } from 'only-a-type'
        import fs from 'node:fs'
        import path from 'path'
        import config from '#config'
        import data from 'data:text/javascript,'
        import me from 'front-desk'
        import { installed } from 'installed/sub'
        import { tools } from './tools.js'
        export * from "re-exported"
        const lazy = await import('lazy')`,
      'tools.ts': `import './agent.ts'\nimport 'deep'`,
      'package.json': '{"type":"module","name":"front-desk"}',
      'node_modules/installed/package.json': '{}',
    })
    expect(missingImports(path)).toEqual(['re-exported', 'lazy', 'deep'])
  })
})

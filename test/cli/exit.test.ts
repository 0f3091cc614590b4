import { describe, expect, it } from 'vitest'
import { systemClock } from '../../src/scope/index.ts'
import { compiled } from '../compiled.ts'
import type { Program } from '../program.ts'
import { runProgram } from './run-program.ts'
import { TypingPage } from './typing-page.ts'

const holding = ['dev', compiled('holding-agent'), '--json', '--port', '0']

/** A call whose tool does not end. */
async function callTheTool(program: Program): Promise<TypingPage> {
  const url = await program.url()
  const page = new TypingPage(url)
  await page.until(() => page.call !== '')
  page.type('wait')
  const { body } = await fetch(`${url}/api/sessions/${page.call}/events`)
  let events = ''
  for await (const text of body!.pipeThrough(new TextDecoderStream())) {
    events += text
    if (events.includes('"type":"tool"')) break
  }
  return page
}

describe('the exit of endwell dev', { timeout: 60_000 }, () => {
  it('[HO10] comes although the agent file holds the process open, and names what holds it', async () => {
    const program = runProgram(holding)
    await program.url()
    program.signal('SIGINT')
    expect(await program.ended()).toBe(0)
    expect(program.lines.at(-2)).toMatchObject({ ended: true, clean: true, sessions: 0, notClean: 0 })
    expect(program.lines.at(-1)).toEqual({ heldOpen: ['a timer'] })
  })

  it('[HO10] has code 1, and says so, after a session that did not close cleanly', async () => {
    const program = runProgram(holding, { env: { HOLDS: 'nothing' } })
    const page = await callTheTool(program)
    page.hangUp()
    await page.until(() => page.closed)
    await program.until(() => program.lines.some(({ reason }) => reason === 'caller-hung-up'))
    program.signal('SIGINT')
    expect(await program.ended()).toBe(1)
    const lines = program.lines
    expect(lines.find(({ reason }) => reason !== undefined)).toMatchObject({ clean: false })
    expect(lines.find(({ ended }) => ended)).toMatchObject({ clean: false, sessions: 1, notClean: 1 })
    expect(lines.at(-1)).toEqual({ heldOpen: ['a timer'] })
  })

  it('[HO10] comes at once at the second Ctrl-C, also while a session closes, with code 1', async () => {
    const program = runProgram(holding, { env: { HOLDS: 'nothing' } })
    const page = await callTheTool(program)
    program.signal('SIGINT')
    await page.until(() => page.closed)
    const began = systemClock.now()
    program.signal('SIGINT')
    expect(await program.ended()).toBe(1)
    // A close may take 5 s.
    expect(systemClock.now() - began).toBeLessThan(2_500)
    expect(program.lines.some(({ reason }) => reason === 'host-draining')).toBe(true)
  })
})

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describeError } from '../../src/scope/index.ts'
import type { OpenStage } from './line-stage.ts'
import { rtviOnSockets } from './rtvi-websocket.ts'
import { hangUpCases, runHangUp, type HangUpCase, type HangUpOutcome } from './run-case.ts'

interface LineRun {
  readonly name: string
  readonly openStage: OpenStage
  /** Calls at once. */
  readonly concurrency: number
  readonly cases: readonly HangUpCase[]
}

export interface LineOutcome extends HangUpOutcome {
  readonly name: string
}

const webRtcProgram = fileURLToPath(new URL('run-webrtc.ts', import.meta.url))

/** Ends calls in every way at every moment, over real sockets: over WebSocket, and with `all` over WebRTC. */
export async function runHangUps(filter: string, all: boolean): Promise<readonly LineOutcome[]> {
  // These calls mostly wait.
  const overWebSocket = {
    name: 'rtvi over websocket',
    openStage: rtviOnSockets,
    concurrency: 12,
    cases: hangUpCases,
  }
  const runs = await Promise.all([runLine(overWebSocket, filter), all ? runWebRtc(filter) : []])
  return runs.flat()
}

/** Ends the calls of a line whose names contain a text. */
export async function runLine(
  { name: line, openStage, concurrency, cases }: LineRun,
  filter: string,
): Promise<readonly LineOutcome[]> {
  const outcomes: LineOutcome[] = []
  const waiting = cases
    .map((one) => ({ one, name: `${line} · ${one.way} ${one.moment}` }))
    .filter(({ name }) => name.includes(filter))
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      outcomes.push({ name: next.name, ...(await runHangUp(openStage, next.one).catch(asFailure(next.one))) })
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return outcomes
}

/** A call that could not even be made is a problem of its case. */
const asFailure =
  (one: HangUpCase) =>
  (error: unknown): HangUpOutcome => ({
    ...one,
    problems: [describeError(error).message],
    took: 0,
    leaked: 0,
  })

/** Ends calls over WebRTC in a process of their own. */
function runWebRtc(filter: string): Promise<readonly LineOutcome[]> {
  const child = spawn(process.execPath, ['--import', 'tsx', webRtcProgram, filter], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (data) => {
      text += String(data)
      if (!text.endsWith('\n')) return
      child.kill('SIGKILL')
      resolve(JSON.parse(text) as LineOutcome[])
    })
    child.on('exit', (code) => reject(new Error(`calls over WebRTC: the process has exited with ${code}`)))
  })
}

import type { ConnectionReport } from '../../src/parts/index.ts'
import { describeError, noop } from '../../src/scope/index.ts'
import type { CloseReason, SessionReport } from '../../src/session/index.ts'
import { HangUpCall } from './hang-up-call.ts'
import type { OpenStage } from './line-stage.ts'
import { moments } from './moments.ts'
import { waysOfThreads, waysToEnd, type WayToEnd } from './ways-to-end.ts'

export interface HangUpCase {
  readonly way: string
  readonly moment: string
}

export interface HangUpOutcome extends HangUpCase {
  readonly problems: readonly string[]
  /** Milliseconds from the end of the call to the report. */
  readonly took: number
  /** How many connections the server still has. */
  readonly leaked: number
}

/** Milliseconds in which a call must have ended, by the clock of its stage, whatever has happened to its client. */
const END_WITHIN = 10_000

/** Milliseconds after the report in which a client that can be reached must know that its call has ended. */
const NOTICE_WITHIN = 2_000

const allWays: Readonly<Record<string, WayToEnd>> = { ...waysToEnd, ...waysOfThreads }

/** Each of the ways to end a call at every moment at which it is possible. */
const casesOf = (ways: Readonly<Record<string, WayToEnd>>): readonly HangUpCase[] =>
  Object.entries(moments).flatMap(([moment, { ready }]) =>
    Object.entries(ways)
      .filter(([, { needsReady }]) => ready || !needsReady)
      .map(([way]) => ({ way, moment })),
  )

/** What can happen to a call on any line. */
export const hangUpCases = casesOf(waysToEnd)

/** What can happen to a call whose connection lives in a worker thread. */
export const threadCases = casesOf(allWays)

/** Brings a call to a moment, ends it, and checks its report and what is left. */
export async function runHangUp(openStage: OpenStage, one: HangUpCase): Promise<HangUpOutcome> {
  const { byCap = false, isFailure = false, end } = allWays[one.way]!
  const maxDuration = byCap ? await durationUntil(openStage, one.moment) : undefined
  const { ready, reach } = moments[one.moment]!
  const call = await HangUpCall.open(openStage, { ready, maxDuration })
  const { stage, session } = call
  const problems: string[] = []
  try {
    await reach(call)
    const endedAt = stage.clock.now()
    if (session.state === 'closed' && !byCap) problems.push('the call ended before the moment')
    await end(call)
    const late = stage.clock.after(END_WITHIN, 'the call ends', () => {
      problems.push(`the session is ${session.state} after ${END_WITHIN} ms`)
      session.close({ closeTimeout: 0 }).catch(noop)
    })
    await call.closed()
    late.clear()
    if (!isFailure && !stage.silentWays.includes(one.way) && !(await isGoneInTime(call)))
      problems.push('the client was left with its connection')
    problems.push(...problemsOf(call, one))
    problems.push(...stage.timers.map((name) => `timer '${name}' is left`))
    const host = await stage.scope.close()
    if (!host.clean) problems.push('the server did not close cleanly')
    if (call.reports.length !== 1) problems.push(`the session was closed ${call.reports.length} times`)
    if (stage.size > 0) problems.push('the call is still counted')
    return { ...one, problems, took: call.closedAt()! - endedAt, leaked: await stage.connections() }
  } catch (error) {
    return { ...one, problems: [...problems, describeError(error).message], took: 0, leaked: 0 }
  } finally {
    await stage.end()
  }
}

/** Whether the client knows within a moment that it is no longer connected. */
function isGoneInTime({ stage, client }: HangUpCall): Promise<boolean> {
  return new Promise((resolve) => {
    const late = stage.clock.after(NOTICE_WITHIN, 'the client notices', () => resolve(false))
    client
      .until(() => client.isGone)
      .then(() => {
        late.clear()
        return resolve(true)
      })
      .catch(noop)
  })
}

/** How long a session lives until a moment is reached. */
async function durationUntil(openStage: OpenStage, moment: string): Promise<number> {
  const { ready, reach } = moments[moment]!
  const call = await HangUpCall.open(openStage, { ready })
  const { stage, session } = call
  const began = stage.clock.now()
  await reach(call)
  const took = stage.clock.now() - began
  await session.close()
  await stage.scope.close()
  await stage.end()
  return Math.ceil(took) + 1
}

function problemsOf({ reports, client, stage }: HangUpCall, one: HangUpCase): string[] {
  const isSilent = stage.silentWays.includes(one.way)
  const problems: string[] = []
  const [report] = reports as [SessionReport]
  const { ready } = moments[one.moment]!
  const way = allWays[one.way]!
  const reasons = reasonsOf(one, isSilent)
  if (!reasons.includes(report.reason))
    problems.push(`the reason is ${report.reason}, not ${reasons.join(' or ')}`)
  if (report.took > report.closeTimeout)
    problems.push(`the close took ${report.took} ms of ${report.closeTimeout}`)
  const hows = howsOf(report, isSilent)
  const { how } = report.connections.find(({ name }) => /^(rtvi|webrtc)$/.test(name)) ?? {}
  if (how === undefined || !hows.includes(how))
    problems.push(`the connection was ${how}, not ${hows.join(' or ')}`)
  if (report.clean === (how === 'aborted' || way.isFailure === true))
    problems.push(`the report says clean: ${report.clean}`)
  for (const item of report.transcript)
    if (item.type === 'tool' && !item.result) problems.push(`the call of ${item.name} has no output`)
  if (ready && way.isTold && client.farewell === undefined)
    problems.push('the client was not told that the call has ended')
  return problems
}

/** The reasons that a report may have. A graceful end has its reason already, but a drop during it is a drop (CL2). */
function reasonsOf(one: HangUpCase, isSilent: boolean): readonly CloseReason[] {
  const { byCap, ...way } = allWays[one.way]!
  const reason = isSilent ? 'caller-lost' : way.reason
  const { ready, isEnding } = moments[one.moment]!
  // The cap has the agent finish what it says, and a client that never becomes ready is lost meanwhile.
  if (byCap && !ready) return [reason, 'caller-lost']
  if (!isEnding) return [reason]
  // The agent may have hung up before the silence is noticed. In real time, the cap may come before the goodbye.
  if (isSilent || byCap) return ['agent-hung-up', reason]
  return [reason === 'caller-lost' ? reason : 'agent-hung-up']
}

/** How the connection may have ended. A client that cannot be reached when the agent hangs up is cut off; over UDP, it is closed. */
function howsOf({ reason }: SessionReport, isSilent: boolean): readonly ConnectionReport['how'][] {
  if (reason === 'caller-lost') return ['dropped']
  return isSilent ? ['aborted', 'closed', 'dropped'] : ['closed', 'dropped']
}

import type { AgentFile } from '../../host/index.ts'
import { OptionError } from '../../scope/index.ts'
import { formatSession } from '../../session/index.ts'
import type { CallRecord } from './call-record.ts'
import { checkCall } from './check-call.ts'
import { confirmFindings } from './confirm.ts'
import { conversationOf } from './conversation.ts'
import { HuntError, findConversations } from './conversations.ts'
import { Coverage, type Covered } from './coverage.ts'
import type { HuntFinding } from './finding.ts'
import { Findings } from './findings.ts'
import { viewOf, type HuntCaseView } from './hunt-case.ts'
import { huntSettings, type HuntOptions } from './hunt-options.ts'
import type { HuntWorld } from './hunt-world.ts'
import { HuntedCall } from './hunted-call.ts'
import { contextOfHunt, huntHooks } from './hunt-context.ts'
import { LoopBlocks } from './loop-blocks.ts'
import { planCases } from './plan.ts'
import { RealFunctions } from './real-work.ts'
import { installVirtualGlobals, realDate, realNow } from './virtual-globals.ts'

/** A call that was played. */
export interface HuntedCase extends HuntCaseView {
  /** What was found in it: indexes of `findings`. */
  readonly findings: readonly number[]
  /** Of a case that was played alone: what happened, and the printed report of its session. */
  readonly story?: string
  readonly report?: string
}

/** The result of a hunt, in plain JSON. */
export interface HuntResult {
  readonly version: 1
  /** The name of the agent file. */
  readonly name: string
  readonly seed: number
  readonly moments: number
  /** Calls that were planned. */
  readonly planned: number
  /** Whether all planned calls were played. Otherwise the time was up. */
  readonly complete: boolean
  /** Real milliseconds. */
  readonly took: number
  /** Whether nothing failed. Warnings do not count. */
  readonly endsWell: boolean
  readonly findings: readonly HuntFinding[]
  readonly cases: readonly HuntedCase[]
  /** Calls that were not played because the options say so. */
  readonly skipped: readonly HuntCaseView[]
  readonly coverage: readonly Covered[]
}

/**
 * Plays calls with the agent of a file: each conversation hung up at every moment, ended in every way, and with troubles of its
 * models, its line and the servers that its tools use. Reports what did not end well. Time is virtual for the agent's code; no
 * vendor is called.
 *
 * ```ts
 * const result = await hunt(agentFile, { seed: 7 })
 * assert.deepEqual(result.findings, [])
 * ```
 */
export async function hunt(file: AgentFile, options: HuntOptions = {}): Promise<HuntResult> {
  const settings = huntSettings(options)
  // The hooks first: what they replace must be the platform's, not the hunt's.
  huntHooks().lateErrors.hook()
  const restore = installVirtualGlobals(contextOfHunt)
  const open: HuntWorld['open'] = new Set()
  try {
    const world = await worldOf(file, options, settings, open)
    return await run(world, settings)
  } finally {
    for (const opened of open) opened.abort()
    restore()
  }
}

type Settings = ReturnType<typeof huntSettings>

async function worldOf(
  file: AgentFile,
  { inputs = {}, tools = {}, fetch }: HuntOptions,
  { seed, online }: Settings,
  open: HuntWorld['open'],
): Promise<HuntWorld> {
  const real = new RealFunctions(online)
  // Fixed, so that a case is the same on every day; but servers on other machines compare their date with that of a request.
  const epoch = online ? realDate() : undefined
  const isRealtime = usesRealtime(file)
  const world: HuntWorld = {
    file,
    seed,
    inputs,
    mocks: tools,
    fetch,
    online,
    isRealtime,
    keepsTurns: true,
    epoch,
    real,
    open,
    leaks: new Set(),
  }
  const greeting = { number: 0, conversation: conversationOf([]), act: 'finishes' }
  try {
    await new HuntedCall(greeting, world).session.close()
    return world
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    return { ...world, keepsTurns: false }
  }
}

/** Whether the file uses a realtime model. Making models does not connect them; without keys or packages it may throw. */
function usesRealtime({ models }: AgentFile): boolean {
  try {
    return models().realtime !== undefined
  } catch {
    return false
  }
}

async function run(world: HuntWorld, settings: Settings): Promise<HuntResult> {
  const { seed, moments, limit, skip, signal, onProgress } = settings
  const began = realNow()
  const healthy = await findConversations(world, (played) =>
    onProgress?.({ played, planned: 0, findings: 0, case: 0 }),
  )
  const planned = planCases(healthy, { seed, moments, isRealtime: world.isRealtime })
  const chosen = planned.filter(({ number }) =>
    settings.case === undefined ? !skip.includes(number) : number === settings.case,
  )
  if (settings.case !== undefined && chosen.length === 0)
    throw new HuntError(`there is no case ${settings.case}: with seed ${seed} there are ${planned.length}`)
  const findings = new Findings()
  const blocks = new LoopBlocks()
  const coverage = new Coverage()
  for (const record of healthy) coverage.add(record)
  const isReplay = settings.case !== undefined
  const played: { readonly view: HuntCaseView; readonly keys: readonly string[] }[] = []
  for (const one of chosen) {
    if (signal?.aborted === true || (realNow() - began > limit && !isReplay)) break
    onProgress?.({
      played: played.length,
      planned: planned.length,
      findings: findings.often.length,
      case: one.number,
    })
    const record = await new HuntedCall(one, world, { traced: isReplay }).play()
    const found = checkCall(record)
    coverage.add(record)
    blocks.add(record)
    const view = isReplay ? { ...viewOf(one), ...storyOf(record) } : viewOf(one)
    played.push({ view, keys: findings.add(record, found) })
  }
  const { length: count } = played
  const onReplay = (one: number): void =>
    onProgress?.({ played: count, planned: planned.length, findings: findings.often.length, case: one })
  const gathered = [
    ...(await confirmFindings(isReplay ? findings.all : findings.often, world, onReplay)),
    ...(await blocks.find(world, onReplay)),
  ]
  const keys = gathered.map(({ key }) => key)
  const shown = gathered.map((each) => each.toFinding(world.real.known))
  return {
    version: 1,
    name: world.file.name,
    seed,
    moments,
    planned: planned.length,
    complete: played.length === chosen.length,
    took: Math.round(realNow() - began),
    endsWell: shown.every(({ severity }) => severity === 'warning'),
    findings: shown,
    cases: played.map(({ view, keys: own }) => ({
      ...view,
      findings: own.map((key) => keys.indexOf(key)).filter((index) => index >= 0),
    })),
    skipped: planned.filter(({ number }) => skip.includes(number)).map(viewOf),
    coverage: coverage.list(world.real.known),
  }
}

function storyOf({ story, reports: [report] }: CallRecord): Pick<HuntedCase, 'story' | 'report'> {
  return { story, report: report ? formatSession(report, { transcript: true }) : '' }
}

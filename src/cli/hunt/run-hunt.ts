import { systemClock } from '../../scope/index.ts'
import { HuntError, type HuntFinding, type HuntProgress, type HuntResult } from '../../testing/index.ts'
import type { HunterEnd, Launch } from './hunter.ts'
import type { HuntRequest } from './messages.ts'

/** How often the agent may end its process before no more calls are played. */
const DEATHS = 3

type Death = Extract<HunterEnd, { readonly how: 'died' }>

/**
 * Hunts an agent in a process of its own. A call that ends or blocks that process is a finding: the hunt begins again in another
 * process, without that call.
 */
export async function runHunt(
  request: HuntRequest,
  launch: Launch,
  signal: AbortSignal,
  onProgress: (progress: HuntProgress) => void,
): Promise<HuntResult> {
  const deaths: Death[] = []
  const until = systemClock.now() + request.limit
  for (;;) {
    const skip = [...request.skip, ...deaths.map((death) => death.case)]
    const isEnough = deaths.length >= DEATHS
    // Without any time, the last process only says which calls those were.
    const limit = isEnough ? 0 : Math.max(0, until - systemClock.now())
    const end = await launch({ ...request, skip, limit }, signal, onProgress)
    if (end.how === 'result') return withDeaths(end.result, deaths)
    if (end.how === 'error') throw new HuntError(end.message)
    deaths.push(end)
    if (end.case !== 0 && request.case === undefined && !isEnough) continue
    const when = end.case === 0 ? 'before the first call' : `in case ${end.case}`
    const printed = end.output === '' ? '' : `\n${lastLines(end.output)}`
    throw new HuntError(`the agent’s process ${end.why}, ${when}${printed}`)
  }
}

/** Adds the calls that ended their process to the findings. */
function withDeaths(result: HuntResult, deaths: readonly Death[]): HuntResult {
  const [first] = deaths
  const view = first && result.skipped.find(({ number }) => number === first.case)
  if (!view) return result
  const finding: HuntFinding = {
    kind: 'ends-process',
    severity: 'failure',
    where: 'the agent',
    title: 'the agent ended or blocked its process',
    what: `the process ${first.why}`,
    advice: 'Every call in the process ends with it. What the process printed may say why.',
    docs: 'https://github.com/endwell/endwell/blob/main/docs/hunt.md#ends-process',
    times: deaths.length,
    cases: deaths.map((death) => death.case),
    case: view,
    story: first.output === '' ? 'The process printed nothing.' : lastLines(first.output),
    report: '',
  }
  return { ...result, endsWell: false, findings: [...result.findings, finding] }
}

function lastLines(text: string): string {
  return text.split('\n').slice(-20).join('\n')
}

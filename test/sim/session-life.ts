import type { Fault, ScriptedRealtimeOptions, World } from '../../src/testing/index.ts'
import { FullCall, type FullCallOptions } from '../matrix/full-call.ts'
import { checkEnd } from '../matrix/run-case.ts'
import { callEnds } from '../../src/testing/call-ends.ts'

/** Steps that may get a fault. */
const steps = [
  'open:line',
  'open:stt',
  'open:llm',
  'open:tts',
  'open:vad',
  'open:realtime',
  'close:line',
  'close:stt',
  'close:llm',
  'close:tts',
  'close:vad',
  'close:realtime',
  'close:*',
  'task:start',
  'task:turn 1',
  'task:turn 2',
  'task:reply 1',
  'task:reply 2',
  'task:speech 1',
  'task:speech 2',
  "task:enter hook of 'desk'",
  "task:exit hook of 'desk'",
  "task:turn hook of 'desk'",
  'task:guardrail polite',
  'task:guardrail honest',
  'task:lookup',
  'task:transfer',
  'task:ask',
  'deferred:last words',
]

const faults: readonly Fault[] = [
  'hang',
  'throw',
  'reject',
  'ignore-signal',
  { late: 300 },
  { late: 2_000 },
  { late: 9_000, fails: true },
]

const words = [
  'hello',
  'use lookup',
  'use book',
  'use transfer',
  'use ask',
  'use goodbye',
  'Good. I mean it.',
]

/** A random session: talk, barge-in, tools, handoffs, faults, drops, and a random end. */
export async function sessionLife(world: World): Promise<void> {
  const { clock, random } = world
  const call = new FullCall(world, randomOptions(world))
  for (let count = random.pick([0, 0, 1, 1, 2, 3]); count > 0; count--) {
    const step = random.pick(steps)
    const fault = random.pick(faults)
    world.tell(`fault: ${step} ${JSON.stringify(fault)}`)
    call.faults.set(step, fault)
  }
  call.start().catch(() => {})
  for (let count = random.int(0, 12); count > 0; count--) {
    await clock.elapse(someTime(world))
    act(world, call)
  }
  for (let count = random.int(0, 2); count > 0; count--) {
    pull(world, call, random.pick(Object.keys(callEnds)))
    await clock.elapse(someTime(world))
  }
  // Whatever happened before, this ends the session now, unless it has ended already.
  pull(world, call, random.pick(['close', 'hurry', 'twice']))
  await clock.elapse(60_000)
  const problems: string[] = []
  checkEnd(world, call, {}, problems)
  for (const problem of problems) {
    const colon = problem.indexOf(': ')
    world.violate(problem.slice(0, colon), problem.slice(colon + 2))
  }
}

function someTime({ random }: World): number {
  return random.pick([0, 1, 20, 100, 300, 500, 900, 1_500, 3_000])
}

function randomOptions(world: World): FullCallOptions {
  const { random } = world
  const sometimes = (chance: number): boolean => random.chance(chance)
  return {
    line: {
      openTakes: someTime(world),
      latency: random.pick([0, 40, 200]),
      confirms: !sometimes(0.1),
      knows: !sometimes(0.2),
      marksAtOnce: sometimes(0.1),
      ...(sometimes(0.2) ? { avatar: { lag: 800 } } : {}),
      closeTakes: random.pick([0, 0, 100]),
    },
    stt: {
      openTakes: someTime(world),
      finalAfter: random.pick([0, 100, 900, 'never']),
      talksAfterEnd: sometimes(0.1),
      closeHangs: sometimes(0.1),
    },
    llm: {
      firstAfter: random.pick([0, 100, 600]),
      every: random.pick([0, 20]),
      ignoresSignal: sometimes(0.1),
    },
    tts: {
      firstAfter: random.pick([0, 80, 400]),
      speed: random.pick([1, 4, 100]),
      words: sometimes(0.5),
      ignoresSignal: sometimes(0.1),
      ...(sometimes(0.1) ? { failAfter: 200 } : {}),
    },
    preemptive: sometimes(0.3),
    closeTimeout: random.pick([300, 1_000, 5_000]),
    ...(sometimes(0.3) ? { realtime: randomRealtime(world) } : {}),
  }
}

function randomRealtime({ random }: World): ScriptedRealtimeOptions {
  return {
    speed: random.pick([1, 4, Infinity]),
    yields: random.chance(0.5),
    interruptTakes: random.pick([0, 50, 2_000]),
    closeHangs: random.chance(0.1),
    closeTakes: random.pick([0, 100, 600]),
  }
}

/** Performs a random action. It may be refused, because the session may be ending. */
function act(world: World, call: FullCall): void {
  const { random } = world
  const { session, line } = call
  const action = random.weighted({
    types: 5,
    says: 4,
    pauses: 3,
    presses: 1,
    say: 2,
    reply: 2,
    interrupt: 2,
    approve: 1,
  })
  world.tell(`act: ${action}`)
  try {
    const caller = session.state === 'live' || session.state === 'ending' ? line.caller : undefined
    switch (action) {
      case 'types':
        return caller?.types(random.pick(words))
      case 'says':
        return ignoreErrors(caller?.says(random.pick(words)))
      case 'pauses':
        return ignoreErrors(caller?.pauses(random.pick([100, 700, 1_500])))
      case 'presses':
        return caller?.presses('1#')
      case 'say': {
        const speech = session.say('Something to say.', {
          interruptible: random.chance(0.7),
          priority: random.int(0, 2),
        })
        return ignoreErrors(call.track('say()', speech.waitForPlayout()))
      }
      case 'reply':
        return ignoreErrors(call.track('reply()', session.reply().waitForPlayout()))
      case 'interrupt':
        return session.interrupt({ force: random.chance(0.5) })
      case 'approve':
        return void session.approve('call-1', random.chance(0.5))
    }
  } catch (error) {
    const { code } = error as { code?: string }
    const refusals = ['SESSION_CLOSED', 'SESSION_ENDING', 'UNINTERRUPTIBLE']
    if (!refusals.includes(code ?? '')) world.violate('CL10', `${action} was refused with ${String(error)}`)
  }
}

function pull(world: World, call: FullCall, name: string): void {
  world.tell(`── ${name} ──`)
  callEnds[name]!.end(call)
}

function ignoreErrors(promise: Promise<unknown> | undefined): void {
  promise?.catch(() => {})
}

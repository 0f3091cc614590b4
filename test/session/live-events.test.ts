import { describe, expect, it } from 'vitest'
import type { SessionEvents } from '../../src/session/index.ts'
import { ScriptedRealtime, ScriptedTts, callTool, inVirtualTime } from '../../src/testing/index.ts'
import { aLiveCall, greeting, type Call } from './fixture.ts'
import { tool } from '../../src/session/index.ts'

/** Records events of a session as text, each with its time. */
function record({ session, clock }: Call, ...names: (keyof SessionEvents)[]): string[] {
  const log: string[] = []
  for (const name of names)
    session.on(name, (data) => {
      const { state, thinking, text, by, last } = data as { [key: string]: string | boolean }
      log.push(`${clock.now()} ${name} ${state ?? thinking ?? `${text} (${by}${last ? ', last' : ''})`}`)
    })
  return log
}

describe('a session', () => {
  it('[PG4] emits whether the user speaks, may have finished or is silent', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: ['Fine.'] })
      const log = record(call, 'user-state')
      await call.caller.says('Hello there')
      await call.caller.pauses(300)
      await call.caller.says('how are you')
      await call.caller.pauses(2_000)
      expect(log.map((line) => line.replace(/^\d+ /, ''))).toEqual([
        'user-state speaking',
        'user-state finishing',
        'user-state speaking',
        'user-state finishing',
        'user-state silent',
      ])
      await call.session.close()
    }))

  it('[PG4] emits once when the agent begins to work on a reply, and once when it has finished', () =>
    inVirtualTime(async (world) => {
      const slow = tool({ description: 'Looks it up', run: () => world.clock.elapse(1_000) })
      const call = await aLiveCall(world, {
        agent: { tools: { slow } },
        answers: [['One moment. ', callTool('slow')], 'Here it is.'],
        llm: { firstAfter: 200 },
      })
      const log = record(call, 'thinking')
      call.caller.types('Where is it?')
      await call.clock.elapse(10_000)
      expect(log).toEqual(['0 thinking true', expect.stringMatching(/^14\d\d thinking false$/)])
      await call.session.close()
    }))

  it('[SP12] emits the words of a speech as they come, before they are heard', () =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: ['Yes, we are open.'] })
      const log = record(call, 'words')
      call.caller.types('Are you open?')
      await call.clock.elapse(100)
      expect(log.pop()).toBe('0 words  (reply, last)')
      const texts = log.map((line) => /words (.*) \(reply\)$/.exec(line)?.[1])
      expect(texts.join('')).toBe('Yes, we are open.')
      expect(call.line.heardText.length).toBeLessThan(5)
      call.session.say('And now this.')
      await call.clock.elapse(3_000)
      expect(log.slice(-2).map((line) => line.replace(/^\d+ /, ''))).toEqual([
        'words And now this. (say)',
        'words  (say, last)',
      ])
      await call.session.close()
    }))

  it('[PT3] emits the final words of the user also if a realtime model has transcribed them', () =>
    inVirtualTime(async (world) => {
      const realtime = new ScriptedRealtime({ answers: ['Fine.'] })
      const call = await aLiveCall(world, { models: { realtime } } as object)
      const events: string[] = []
      call.session.on('transcribed', ({ text }) => events.push(`transcribed ${text}`))
      call.session.on('user', ({ text }) => events.push(`user ${text}`))
      await call.caller.says('How are you')
      await call.caller.pauses(2_000)
      expect(events).toEqual(['transcribed How are you', 'user How are you'])
      await call.session.close()
    }))
})

it.each([{}, { tts: true }])(
  '[SP12] a realtime model has last words, once (%o)',
  ({ tts }: { tts?: boolean }) =>
    inVirtualTime(async (world) => {
      const realtime = new ScriptedRealtime({ answers: ['Yes, we are open.'] })
      const models = { realtime, ...(tts ? { tts: new ScriptedTts() } : {}) }
      const call = await aLiveCall(world, { models } as object)
      const log = record(call, 'words')
      call.caller.types('Are you open?')
      await call.clock.elapse(5_000)
      expect(log.filter((line) => line.endsWith('last)'))).toEqual([log.at(-1)])
      await call.session.close()
    }),
)

describe('a speech', () => {
  it('[SP12] has the words that were heard so far, while it is heard and afterwards', () =>
    inVirtualTime(async (world) => {
      const { session, clock } = await aLiveCall(world)
      const speech = session.say(greeting)
      expect(speech.heard).toBe('')
      await clock.elapse(1_000)
      expect(speech.heard).toBe('Good morning, this')
      speech.interrupt()
      await clock.elapse(10)
      expect(speech.heard).toBe(speech.outcome?.heard)
      await session.close()
    }))
})

import { describe, expect, it } from 'vitest'
import { guard, guardOpenAI } from '../../../src/guard/index.ts'
import { Host, listen } from '../../../src/host/index.ts'
import { TwilioCalls } from '../../../src/lines/twilio/index.ts'
import { WebSocketCalls } from '../../../src/lines/websocket/index.ts'
import { batchStt, sentenceTts } from '../../../src/parts/index.ts'
import { fallbackLlm, fallbackRealtime, fallbackStt, fallbackTts } from '../../../src/parts/fallback/index.ts'
import { AiSdkLlm } from '../../../src/providers/ai-sdk/index.ts'
import { AssemblyAIStt } from '../../../src/providers/assemblyai/index.ts'
import { CartesiaStt, CartesiaTts } from '../../../src/providers/cartesia/index.ts'
import { DeepgramFluxStt, DeepgramStt, DeepgramTts } from '../../../src/providers/deepgram/index.ts'
import { ElevenLabsStt, ElevenLabsTts } from '../../../src/providers/elevenlabs/index.ts'
import { InworldTts } from '../../../src/providers/inworld/index.ts'
import { RimeTts } from '../../../src/providers/rime/index.ts'
import { GeminiLive } from '../../../src/providers/gemini/index.ts'
import {
  LocalStt,
  LocalTts,
  LocalVad,
  ScriptedDialogue,
  SileroVad,
} from '../../../src/providers/local/index.ts'
import { mcpTools } from '../../../src/providers/mcp/index.ts'
import {
  OpenAIHttpTts,
  OpenAILive,
  OpenAIRealtime,
  OpenAIStt,
  OpenAITts,
} from '../../../src/providers/openai/index.ts'
import { XaiRealtime } from '../../../src/providers/xai/index.ts'
import { Scope } from '../../../src/scope/index.ts'
import { Agent, AgentTask, Session, fileSink, tool } from '../../../src/session/index.ts'
import {
  ScriptedLlm,
  ScriptedRealtime,
  ScriptedStt,
  ScriptedTts,
  ScriptedFilter,
  ScriptedTurnDetector,
  ScriptedVad,
  TestLine,
  callTool,
  inVirtualTime,
  rehearse,
} from '../../../src/testing/index.ts'
import { aLiveCall, expectEnded } from '../fixture.ts'

/** Options as callers without types pass them. */
type Untyped = (options: never) => unknown

const session: Untyped = (options: object) =>
  new Session({
    agent: new Agent({ instructions: '' }),
    models: { llm: new ScriptedLlm(), tts: new ScriptedTts() },
    line: new TestLine(),
    ...options,
  })
const model = { doStream() {} } as never
const run = (): string => ''

/** What takes options, a misspelt option, and the one that was meant. */
const mistakes: readonly (readonly [what: string, take: Untyped, wrong: object, meant: string])[] = [
  ['Session', session, { closeTimout: 1 }, 'closeTimeout'],
  ['Session: models', session, { models: { llm: 1, tts: 1, sst: 1 } }, 'stt'],
  ['Session: apology', session, { apology: { agian: '' } }, 'again'],
  ['Session: goodbye', session, { goodbye: { maxDuration: 'Bye' } }, 'max-duration'],
  ['Session: budget', session, { budget: { token: 1 } }, 'tokens'],
  ["Session: prices of 'llm'", session, { prices: { llm: { inputToken: 1 } } }, 'inputTokens'],
  ['turns', session, { turns: { mod: 'manual' } }, 'mode'],
  ['turns: fixed endpointing', session, { turns: { endpointing: { dealy: 1 } } }, 'delay'],
  [
    'turns: dynamic endpointing',
    session,
    { turns: { endpointing: { mode: 'dynamic', mindelay: 1 } } },
    'minDelay',
  ],
  ['turns: bargeIn', session, { turns: { bargeIn: { minWord: 1 } } }, 'minWords'],
  ['turns: falseInterruption', session, { turns: { falseInterruption: { timout: 1 } } }, 'timeout'],
  ['turns: preemptive', session, { turns: { preemptive: { attempt: 1 } } }, 'attempts'],
  ['turns: dtmf', session, { turns: { dtmf: { endkey: '*' } } }, 'endKey'],
  ['Agent', (options) => new Agent(options), { instruction: 'Be brief.' }, 'instructions'],
  ['Agent: stages', (options) => new Agent(options), { instructions: '', stages: { txt: run } }, 'text'],
  [
    'Agent: guardrails',
    (options) => new Agent(options),
    { instructions: '', guardrails: { inputs: {} } },
    'input',
  ],
  ['AgentTask', (options) => new AgentTask(options), { instructions: '', tool: run }, 'tools'],
  ['tool', (options) => tool(options), { description: '', timout: 1, run }, 'timeout'],
  ['tool: filler', (options) => tool(options), { description: '', filler: { text: 'Hm', sya: '' }, run }, ''],
  ['fileSink', (options) => fileSink('x.wav', options), { overwrit: true }, 'overwrite'],
  ['fallbackLlm', (options) => fallbackLlm([new ScriptedLlm()], options), { firstwithin: 1 }, 'firstWithin'],
  ['fallbackTts', (options) => fallbackTts([new ScriptedTts()], options), { cooldown: 1 }, 'coolDown'],
  ['fallbackStt', (options) => fallbackStt([new ScriptedStt()], options), { repaly: 1 }, 'replay'],
  [
    'fallbackRealtime',
    (options) => fallbackRealtime([new ScriptedRealtime()], options),
    { maxCooldown: 1 },
    'maxCoolDown',
  ],
  ['batchStt', (options) => batchStt(options), { preroll: 1 }, 'preRoll'],
  ['sentenceTts', (options) => sentenceTts({} as never, options), { aheda: 1 }, 'ahead'],
  ['AiSdkLlm', (options) => new AiSdkLlm(model, options), { temprature: 1 }, 'temperature'],
  ['CartesiaTts', (options) => new CartesiaTts(options), { voiec: '' }, 'voice'],
  ['AssemblyAIStt', (options) => new AssemblyAIStt(options), { modle: '' }, 'model'],
  ['CartesiaStt', (options) => new CartesiaStt(options), { endTimout: 1 }, 'endTimeout'],
  ['DeepgramFluxStt', (options) => new DeepgramFluxStt(options), { eagerTreshold: 1 }, 'eagerThreshold'],
  ['DeepgramStt', (options) => new DeepgramStt(options), { apikey: '' }, 'apiKey'],
  ['SileroVad', (options) => new SileroVad(options), { modle: '' }, 'model'],
  ['DeepgramTts', (options) => new DeepgramTts(options), { modle: '' }, 'model'],
  ['ElevenLabsStt', (options) => new ElevenLabsStt(options), { endSilense: 1 }, 'endSilence'],
  ['ElevenLabsTts', (options) => new ElevenLabsTts(options), { vioce: '' }, 'voice'],
  ['RimeTts', (options) => new RimeTts(options), { vioce: '' }, 'voice'],
  ['InworldTts', (options) => new InworldTts(options), { vioce: '' }, 'voice'],
  ['GeminiLive', (options) => new GeminiLive(options), { apikey: '' }, 'apiKey'],
  ['OpenAILive', (options) => new OpenAILive(options), { bakend: '' }, 'backend'],
  ['XaiRealtime', (options) => new XaiRealtime(options), { vioce: '' }, 'voice'],
  [
    'XaiRealtime: turnDetection',
    (options) => new XaiRealtime(options),
    { turnDetection: { silense: 1 } },
    'silence',
  ],
  [
    'XaiRealtime: transcription',
    (options) => new XaiRealtime(options),
    { transcription: { keyword: [] } },
    'keywords',
  ],
  [
    'GeminiLive: compression',
    (options) => new GeminiLive(options),
    { compression: { targetToken: 1 } },
    'targetTokens',
  ],
  ['OpenAIRealtime', (options) => new OpenAIRealtime(options), { vioce: '' }, 'voice'],
  [
    'OpenAIRealtime: transcription',
    (options) => new OpenAIRealtime(options),
    { transcription: { lang: '' } },
    '',
  ],
  [
    'OpenAIRealtime: semantic turnDetection',
    (options) => new OpenAIRealtime(options),
    { turnDetection: { type: 'semantic', eagernes: 'low' } },
    'eagerness',
  ],
  ['OpenAIStt', (options) => new OpenAIStt(options), { promt: '' }, 'prompt'],
  [
    'OpenAIStt: turnDetection',
    (options) => new OpenAIStt(options),
    { turnDetection: { type: 'server', treshold: 1 } },
    'threshold',
  ],
  ['OpenAITts', (options) => new OpenAITts(options), { speeed: 1 }, 'speed'],
  ['OpenAIHttpTts', (options) => new OpenAIHttpTts(options), { speeed: 1 }, 'speed'],
  ['LocalStt', (options) => new LocalStt(options), { phrase: [] }, 'phrases'],
  ['LocalTts', (options) => new LocalTts(options), { engin: '' }, 'engine'],
  ['LocalVad', (options) => new LocalVad(options), { minspeech: 1 }, 'minSpeech'],
  ['ScriptedDialogue', (options) => new ScriptedDialogue(options), { intent: {} }, 'intents'],
  ['mcpTools', (options) => mcpTools(options), { command: 'x', header: {} }, ''],
  ['mcpTools', (options) => mcpTools(options), { url: 'http://x', header: {} }, 'headers'],
  ['TwilioCalls', (options) => new TwilioCalls(options), { authtoken: '' }, 'authToken'],
  ['WebSocketCalls', (options) => new WebSocketCalls(options), { orgins: [] }, 'origins'],
  ['Host', (options) => new Host(options), { secrt: '' }, 'secret'],
  ['Scope', (options) => new Scope('x', options), { closeTimeOut: 1 }, 'closeTimeout'],
  ['ScriptedLlm', (options) => new ScriptedLlm(options), { answer: [] }, 'answers'],
  ['ScriptedRealtime', (options) => new ScriptedRealtime(options), { answer: [] }, 'answers'],
  ['ScriptedStt', (options) => new ScriptedStt(options), { endsTurn: true }, 'endsTurns'],
  ['ScriptedTts', (options) => new ScriptedTts(options), { openFail: 1 }, 'openFails'],
  ['ScriptedFilter', (options) => new ScriptedFilter(options), { take: 1 }, 'takes'],
  ['ScriptedTurnDetector', (options) => new ScriptedTurnDetector(options), { take: 1 }, 'takes'],
  ['ScriptedVad', (options) => new ScriptedVad(options), { heers: 1 }, 'hears'],
  ['TestLine', (options) => new TestLine(options), { speeks: 1 }, 'speaks'],
]

describe('an unknown option', () => {
  it.each(mistakes)(
    '[FA7] of %s is an error at once, which suggests what was meant',
    (what, take, wrong, meant) => {
      const message =
        meant === '' ? /unknown option '\w+'\. The options are: \w+/ : `Did you mean '${meant}'?`
      expect(() => take(wrong as never)).toThrow(message)
      expect(() => take(wrong as never)).toThrow(
        expect.objectContaining({
          code: 'BAD_OPTION',
          message: expect.stringContaining(`${what}: unknown option '`),
        }),
      )
    },
  )

  it('[FA7] of listen and rehearse rejects', async () => {
    await expect(listen({ prot: 1 } as never)).rejects.toThrow(
      "listen: unknown option 'prot'. Did you mean 'port'?",
    )
    const agent = new Agent({ instructions: '' })
    await expect(rehearse(agent, { anwsers: [] } as never)).rejects.toThrow(
      "rehearse: unknown option 'anwsers'. Did you mean 'answers'?",
    )
  })

  it('[FA7] that is undefined is not set', () => {
    expect(() => session({ unheardOf: undefined } as never)).not.toThrow()
  })

  it('[FA7] is not asked for of something that is no object', () => {
    expect(() => new Agent('Be brief.' as never)).toThrow(
      'Agent: the options must be an object; this is a string',
    )
    expect(() => new Agent(undefined as never)).toThrow(
      'Agent: the options must be an object; this is undefined',
    )
    expect(() => new LocalVad(null as never)).toThrow('LocalVad: the options must be an object; this is null')
    expect(() => new Agent({} as never)).toThrow('Agent: instructions must be a string')
  })

  it('[FA7] of a guard is reported before anything is guarded', () => {
    expect(() => guard({ lingr: 1 } as never)).toThrow(
      "guard: unknown option 'lingr'. Did you mean 'linger'?",
    )
    expect(() => guardOpenAI({} as never, { close() {}, reconect: true } as never)).toThrow('guardOpenAI: ')
  })
})

describe('a mistake in the options of a verb', () => {
  it.each([
    ['a misspelt option', { interruptable: false }, "Did you mean 'interruptible'?"],
    ['a string', 'loud', 'say: the options must be an object; this is a string'],
  ])('[FA7] is reported, and the words are said all the same: %s', (_, wrong, message) =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      const errors: unknown[] = []
      // A listener that makes the mistake again must not cause itself without end.
      call.session.on('error', (error) => {
        errors.push(error)
        call.session.say('Sorry.', wrong as never)
      })
      const speech = call.session.say('Hello.', wrong as never)
      expect((await speech.waitForPlayout()).how).toBe('played')
      expect(errors).toMatchObject([{ where: 'say', error: { code: 'BAD_OPTION' } }])
      expect(String((errors[0] as { error: Error }).error)).toContain(message)
      expect(call.session.say('Again.', null as never).outcome).toBeUndefined()
      const report = await call.session.close()
      expect(report).toMatchObject({ errorCount: 1, clean: false })
      expectEnded(call)
    }),
  )

  it.each([
    ['reply', (each: Session) => each.reply({ instruction: '' } as never).finished],
    ['interrupt', async (each: Session) => each.interrupt({ forced: true } as never)],
    ['interrupt', async (each: Session) => each.interrupt('now' as never)],
  ])('[FA7] does not throw, and is reported: %s()', (verb, use) =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world, { answers: ['Hello.'] })
      await use(call.session)
      const report = await call.session.close()
      expect(report.errors).toMatchObject([{ where: verb, error: { code: 'BAD_OPTION' } }])
      expectEnded(call)
    }),
  )

  it.each([
    ['close', (each: Session) => each.close({ resaon: 'error' } as never), 'requested'],
    ['close', (each: Session) => each.close('now' as never), 'requested'],
    ['close', (each: Session) => each.drain({ resaon: 'error' } as never), 'requested'],
    ['hangUp', (each: Session) => each.hangUp({ sya: 'Bye.' } as never), 'agent-hung-up'],
    ['hangUp', (each: Session) => each.hangUp('Bye.' as never), 'agent-hung-up'],
  ])('[FA7] [SC2] ends the session all the same: %s()', (verb, end, reason) =>
    inVirtualTime(async (world) => {
      const call = await aLiveCall(world)
      await end(call.session)
      const report = await call.session.closed
      expect(report).toMatchObject({ reason, errors: [{ where: verb, error: { code: 'BAD_OPTION' } }] })
      expectEnded(call)
    }),
  )

  it.each([
    ['close', { reasn: 'error' }, 'requested'],
    ['close', null, 'requested'],
    ['hangUp', { goodbye: 'Bye.' }, 'agent-hung-up'],
    ['hangUp', null, 'agent-hung-up'],
  ] as const)('[FA7] ends the session all the same: %s() of a tool with %j', (verb, wrong, reason) =>
    inVirtualTime(async (world) => {
      const end = tool({ description: 'Ends', run: (_, context) => context[verb](wrong as never) })
      const call = await aLiveCall(world, { agent: { tools: { end } }, answers: [[callTool('end')]] })
      call.caller.types('Goodbye')
      const report = await call.session.closed
      expect(report).toMatchObject({ reason, errorCount: wrong === null ? 0 : 1 })
      expectEnded(call)
    }),
  )
})

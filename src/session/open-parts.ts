import type { LineConnection, LineEvents, PartContext, RealtimeEvents } from '../parts/index.ts'
import type { OpenChain } from './chain.ts'
import type { Conversation, OpenParts } from './conversation.ts'
import type { History } from './history.ts'
import type { OpenRealtime } from './realtime-mind.ts'
import type { ChainModels, RealtimeModels, SessionSettings } from './settings.ts'
import { shelter } from './shelter.ts'
import { describeTools } from './tool.ts'

/** What opening the parts needs of the session. */
export interface OpenHost {
  readonly settings: SessionSettings
  readonly context: PartContext
  readonly history: History
  readonly line: LineEvents
  /** What the parts tell goes there, as soon as there is one. */
  readonly conversation: () => Conversation | undefined
  /** A part is gone for good that there is no conversation without. */
  readonly broken: (where: string, error: unknown) => void
  /** A part has thrown where it must not. */
  readonly failed: (where: string, error: unknown) => void
  /** The line is about to be silenced. */
  readonly cleared: () => void
}

/** Opens the line and the models, all at once: the caller waits for the slowest, not for the sum. */
export async function openParts(host: OpenHost): Promise<OpenParts> {
  const { line, models: wanted } = host.settings
  const [connection, models] = await Promise.all([
    openLine(host),
    wanted.realtime ? openRealtime(wanted, host) : openChain(wanted, host),
  ])
  return { line: connection, lineRate: line.sampleRate, models }
}

async function openLine({ settings, context, line, failed, cleared }: OpenHost): Promise<LineConnection> {
  const connection = await settings.line.open(context, line)
  const sheltered = shelter(connection, ['play', 'mark', 'clear'], (error) => failed('line', error))
  return {
    ...sheltered,
    clear: () => {
      cleared()
      sheltered.clear()
    },
  }
}

async function openChain(
  { llm, tts, stt, vad, turnDetector }: ChainModels,
  { context, conversation, broken, failed }: OpenHost,
): Promise<OpenChain> {
  // Each in a function of its own: one that throws must not leave the promise of another alone.
  const [client, voice, transcriber, detector, judge] = await Promise.all([
    start(() => llm.open(context)),
    start(() => tts.open(context)),
    start(() =>
      stt?.open(context, {
        interim: (text) => conversation()?.interim(text),
        final: (text) => conversation()?.final(text),
        endOfTurn: () => conversation()?.endOfTurn(),
        failed: (error) => broken('stt', error),
      }),
    ),
    start(() =>
      vad?.open(context, {
        started: (ago) => conversation()?.userStarted(ago),
        stopped: (ago) => conversation()?.userStopped(ago),
        failed: (error) => broken('vad', error),
      }),
    ),
    start(() => turnDetector?.open(context)),
  ])
  return {
    kind: 'chain',
    llm: client,
    voice,
    stt: stt &&
      transcriber && {
        stream: shelter(transcriber, ['push', 'flush', 'detach'], (error) => failed('stt', error)),
        rate: stt.sampleRate,
      },
    vad: vad &&
      detector && {
        stream: shelter(detector, ['push'], (error) => failed('vad', error)),
        rate: vad.sampleRate,
      },
    judge,
  }
}

async function openRealtime(
  { realtime }: RealtimeModels,
  { settings, context, history, conversation, broken, failed }: OpenHost,
): Promise<OpenRealtime> {
  const { agent, turns } = settings
  const { instructions } = agent
  // Those of its toolsets follow when they are open.
  const tools = describeTools(agent.tools)
  const takesTurns = turns.mode === 'realtime'
  const setup = { instructions, tools, messages: history.toMessages(), takesTurns }
  const events = toldTo(
    () => conversation()?.model,
    (error) => broken('realtime', error),
  )
  const model = shelter(
    await realtime.open(context, setup, events),
    ['push', 'commit', 'respond', 'addText', 'toolResult', 'interrupt', 'update'],
    (error) => failed('realtime', error),
  )
  return { kind: 'realtime', model, inputRate: realtime.inputRate, instructions, tools, takesTurns }
}

/** Events on their way to whoever listens by then. */
function toldTo(
  listener: () => RealtimeEvents | undefined,
  failed: (error: unknown) => void,
): RealtimeEvents {
  return {
    userStarted: () => listener()?.userStarted(),
    userStopped: () => listener()?.userStopped(),
    userInterim: (text) => listener()?.userInterim(text),
    userFinal: (text) => listener()?.userFinal(text),
    responseStarted: (response, asked) => listener()?.responseStarted(response, asked),
    audio: (response, frame) => listener()?.audio(response, frame),
    text: (response, text) => listener()?.text(response, text),
    toolCall: (response, call) => listener()?.toolCall(response, call),
    toolCancelled: (id) => listener()?.toolCancelled(id),
    responseEnded: (response, how, error) => listener()?.responseEnded(response, how, error),
    usage: (usage) => listener()?.usage(usage),
    failed,
  }
}

async function start<T>(open: () => T): Promise<Awaited<T>> {
  return await open()
}

import type { LineEvents, PartContext } from '../parts/index.ts'
import { OptionError } from '../scope/index.ts'
import type { Conversation, OpenParts } from './conversation.ts'
import type { SessionSettings } from './settings.ts'
import { shelter } from './shelter.ts'

/**
 * Opens the line and the models, all at once: the caller waits for the slowest, not for the sum. What they tell goes to
 * the conversation as soon as there is one.
 */
export async function openParts(
  { models, line }: SessionSettings,
  context: PartContext,
  lineEvents: LineEvents,
  conversation: () => Conversation | undefined,
  failed: (where: string, error: unknown) => void,
  told: (where: string, error: unknown) => void,
  cleared: () => void,
): Promise<OpenParts> {
  if (!models.llm) throw new OptionError('models need an llm and a tts')
  const { stt, vad, tts, llm, turnDetector } = models
  // Each in a function of its own: one that throws must not leave the promise of another alone.
  const [connection, client, voice, transcriber, detector, judge] = await Promise.all([
    start(() => line.open(context, lineEvents)),
    start(() => llm.open(context)),
    start(() => tts.open(context)),
    start(() =>
      stt?.open(context, {
        interim: (text) => conversation()?.interim(text),
        final: (text) => conversation()?.final(text),
        endOfTurn: () => conversation()?.endOfTurn(),
        failed: (error) => failed('stt', error),
      }),
    ),
    start(() =>
      vad?.open(context, {
        started: (ago) => conversation()?.userStarted(ago),
        stopped: (ago) => conversation()?.userStopped(ago),
        failed: (error) => failed('vad', error),
      }),
    ),
    start(() => turnDetector?.open(context)),
  ])
  const sheltered = shelter(connection, ['play', 'mark', 'clear'], (error) => told('line', error))
  return {
    line: {
      ...sheltered,
      clear: () => {
        cleared()
        sheltered.clear()
      },
    },
    lineRate: line.sampleRate,
    llm: client,
    voice,
    stt: stt &&
      transcriber && {
        stream: shelter(transcriber, ['push', 'flush', 'detach'], (error) => told('stt', error)),
        rate: stt.sampleRate,
      },
    vad: vad &&
      detector && {
        stream: shelter(detector, ['push'], (error) => told('vad', error)),
        rate: vad.sampleRate,
      },
    judge,
  }
}

async function start<T>(open: () => T): Promise<Awaited<T>> {
  return await open()
}

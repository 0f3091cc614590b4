import type { AgentFile } from '../../host/index.ts'
import { noop, type Clock } from '../../scope/index.ts'
import type { Models, SessionReport } from '../../session/index.ts'
import { Conversation } from '../conversation/conversation.ts'
import { TextScreen, jsonScreen } from '../conversation/screen.ts'
import type { MicrophoneLine } from './microphone-line.ts'

export interface TalkOptions {
  readonly file: AgentFile
  readonly models: Models
  readonly line: MicrophoneLine
  readonly json: boolean
  /** Receives the function to call at Ctrl-C and at other signals. */
  readonly onSignal: (interrupt: () => void, hangUp: () => void) => void
  readonly clock?: Clock
}

/** Talks to an agent by microphone until one of the two hangs up. Rejects if the call could not begin. */
export async function talk({
  file,
  models,
  line,
  json,
  onSignal,
  clock,
}: TalkOptions): Promise<SessionReport> {
  const screen = json ? jsonScreen : new TextScreen({ prompt: { hide: noop }, echoes: false })
  const conversation = new Conversation({
    file,
    models,
    line,
    hangUp: () => line.hangUp(),
    screen,
    sound: true,
    ...(clock ? { clock } : {}),
  })
  line.onHeard = conversation.showWords.bind(conversation)
  onSignal(
    () => conversation.interrupt(),
    () => conversation.hangUp(),
  )
  const report = await conversation.run()
  screen.report(report)
  return report
}

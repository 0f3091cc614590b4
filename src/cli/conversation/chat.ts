import type { AgentFile } from '../../host/index.ts'
import type { Clock } from '../../scope/index.ts'
import type { Models, SessionReport } from '../../session/index.ts'
import { Conversation } from './conversation.ts'
import { TextScreen, jsonScreen } from './screen.ts'
import { TextLine } from './text-line.ts'
import { textModels } from './text-models.ts'
import { TypedInput, type Keyboard } from './typed-input.ts'

export interface ChatOptions {
  readonly file: AgentFile
  readonly models: Models
  readonly json: boolean
  readonly input: Keyboard
  readonly output: NodeJS.WritableStream
  /** Receives the function to call at Ctrl-C and at other signals. */
  readonly onSignal: (interrupt: () => void, hangUp: () => void) => void
  readonly clock?: Clock
}

/** Talks to an agent by text until one of the two hangs up. Rejects if the call could not begin. */
export async function chat(options: ChatOptions): Promise<SessionReport> {
  const { file, models, json, input, output, onSignal, clock } = options
  const typed = new TypedInput({ input, ...(input.isTTY && !json ? { output } : {}) })
  const screen = json ? jsonScreen : new TextScreen({ prompt: typed, echoes: !typed.isScript })
  const line = new TextLine()
  const conversation = new Conversation({
    file,
    models: textModels(models),
    line,
    hangUp: () => line.hangUp(),
    screen,
    sound: false,
    idle: () => goOn(),
    ...(clock ? { clock } : {}),
  })
  /** Types what waits. The lines of a script wait until the agent has finished. */
  const goOn = (): void => {
    const { isIdle, session, approval } = conversation
    if (session.state !== 'live') return undefined
    if (!isIdle && typed.isScript) return undefined
    if (typed.hasEnded) return isIdle ? conversation.hangUp() : undefined
    const text = typed.take()
    if (text === undefined) return isIdle ? typed.show() : undefined
    if (text.trim() === '') return goOn()
    conversation.goesOn()
    if (approval === undefined) line.types(text)
    else conversation.decides(/^\s*y(es)?\s*$/i.test(text))
    // The next line of a script is due once this one has been answered.
    return typed.isScript ? undefined : goOn()
  }
  line.onPlay = conversation.showWords.bind(conversation)
  typed.onLine = goOn
  typed.onInterrupt = conversation.interrupt.bind(conversation)
  onSignal(
    () => conversation.interrupt(),
    () => conversation.hangUp(),
  )
  try {
    const report = await conversation.run()
    if (typed.waiting > 0)
      screen.note(`the call ended before ${typed.waiting} of the lines could be said`, {
        type: 'unsaid',
        lines: typed.waiting,
      })
    screen.report(report)
    return report
  } finally {
    typed.close()
  }
}

import { pcm } from '../../src/audio/index.ts'
import type { Line } from '../../src/parts/index.ts'
import { WebSocketCalls, type WebSocketLine } from '../../src/lines/websocket/index.ts'
import type { Platform } from '../../src/lines/websocket/client/wire.ts'
import { statusOf } from '../../src/lines/websocket/refusal.ts'
import type { LineSubject, Stage } from '../../src/testing/index.ts'
import { AwaitedLines } from './awaited-lines.ts'
import { TestPage } from './page.ts'
import type { Dial } from './sim-wires.ts'

/** The network of a subject's pages. */
export interface Pages {
  readonly platform: Platform
  readonly url: string
  /** How long a clear may take to arrive, by the stage's clock. Default: 0. */
  readonly delay?: number
  vanish(): void
}

/** Dials as a page on this machine. */
export const dialPage =
  (calls: () => WebSocketCalls): Dial =>
  (url, protocols) => {
    const origin = 'http://localhost:3000'
    const request = { origin, headers: { host: 'localhost:3000' }, address: '127.0.0.1', url, protocols }
    const { accept, refused } = calls().admit(request)
    return accept ? { accept } : { code: 4000 + statusOf(refused), reason: refused }
  }

/** A line that gets a call whenever it is opened: the browser line has one line per call. */
export function subjectOf(stage: Stage, pagesOf: (calls: () => WebSocketCalls) => Pages): LineSubject {
  const lines = new AwaitedLines<WebSocketLine>()
  const calls = new WebSocketCalls({
    scope: stage.context().scope,
    maxRate: 1_000,
    onCall: lines.take,
  })
  const pages = pagesOf(() => calls)
  let page: TestPage | undefined
  let closingAt = Infinity
  let refuses = false

  const line: Line = {
    name: 'browser',
    hears: pcm(16_000),
    speaks: pcm(16_000),
    async open(context, events) {
      const { scope } = context
      scope.signal.throwIfAborted()
      const caller = new TestPage(stage.clock, pages.platform, pages.url)
      page = caller
      const taken = await lines.next(
        scope,
        () => caller.wire.connect(),
        () => {
          closingAt = stage.clock.now()
          // The line does not know about a page that is not connected yet.
          if (caller.hello === undefined) caller.wire.hangUp()
        },
      )
      if (refuses) taken.abort()
      const connection = await taken.open(context, events)
      await caller.until(() => caller.hello !== undefined || caller.over)
      return connection
    },
  }
  return {
    line,
    caller: {
      says: (ms) => page!.says(ms),
      types: (text) => page!.wire.send({ type: 'text', text }),
      presses: (digits) => {
        for (const digit of digits) page!.wire.send({ type: 'dtmf', digit })
      },
      hangsUp: () => page!.wire.hangUp(),
      vanishes: () => {
        pages.vanish()
        page!.freezes()
      },
    },
    ended: () => page!.over,
    audibleAfterClosing: () => page!.audibleAfter(closingAt + (pages.delay ?? 0)),
    lostAfter: 10_000,
    refuses: () => (refuses = true),
  }
}

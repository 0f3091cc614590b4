import { PageServer, launchChromium } from '../../test/browser/chromium.ts'
import type { Session } from '../../src/session/index.ts'
import { median } from '../median.ts'
import { serveCalls } from './serve-calls.ts'

const times = 20

/** A page that makes a call, and records when its output starts to sound and falls silent. */
const html = `<!doctype html><title>a call</title><link rel="icon" href="data:," /><script type="module">
  import { Call } from '/src/lines/websocket/client/index.ts'

  const ear = \`registerProcessor('ear', class extends AudioWorkletProcessor {
    sounds = false
    process([input]) {
      const sounds = input[0]?.some((sample) => sample !== 0) ?? false
      if (sounds !== this.sounds) this.port.postMessage(sounds)
      this.sounds = sounds
      return true
    }
  })\`
  let sounds = false
  let at = 0
  const waiting = new Set()
  globalThis.until = (wanted) => new Promise((resolve) => {
    const look = () => {
      if (sounds !== wanted) return
      waiting.delete(look)
      resolve(at)
    }
    waiting.add(look)
    look()
  })
  globalThis.connect = async (url) => {
    const call = new Call({ url, microphone: false })
    await call.connect()
    const { context } = call.output
    await context.audioWorklet.addModule(URL.createObjectURL(new Blob([ear], { type: 'text/javascript' })))
    const node = new AudioWorkletNode(context, 'ear', { numberOfOutputs: 0 })
    node.port.onmessage = ({ data }) => {
      sounds = data
      at = performance.timeOrigin + performance.now()
      for (const look of waiting) look()
    }
    call.output.connect(node)
    globalThis.call = call
  }
</script>`

/** Milliseconds from `session.interrupt()` until the page renders silence. */
export async function interruptToSilence(): Promise<number> {
  let answered = (_session: Session): void => {}
  const calling = new Promise<Session>((resolve) => {
    answered = resolve
  })
  const calls = await serveCalls((session) => answered(session))
  const server = await PageServer.listen({ files: { '/': html } })
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(server.url)
    await page.evaluate(`connect(${JSON.stringify(calls.url)})`)
    const session = await calling
    const took: number[] = []
    for (let n = 0; n < times; n++) {
      const speech = session.say('We are open from eight to six.')
      await page.evaluate('until(true)')
      // Both processes run on the same machine and share its clock.
      const interruptedAt = performance.timeOrigin + performance.now()
      speech.interrupt()
      took.push((await page.evaluate<number>('until(false)')) - interruptedAt)
      await speech.waitForPlayout()
    }
    await page.evaluate('call.hangUp()')
    return median(took)
  } finally {
    await browser.close()
    await server.close()
    await calls.close()
  }
}

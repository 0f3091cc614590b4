import type { PipecatClient } from '@pipecat-ai/client-js'

export const host = new URLSearchParams(location.search).get('host') ?? 'http://localhost:4600'

// For all pages: only the one for WebRTC plays through `audio`.
document.body.innerHTML = `
  <p role="status"></p>
  <p role="alert"></p>
  <ul role="log"></ul>
  <button id="call">Call</button>
  <button id="hang-up">Hang up</button>
  <form><input aria-label="Type instead of speaking" /></form>
  <audio autoplay></audio>`

export const find = (selector: string): HTMLElement => document.querySelector(selector)!
export const status = find('[role=status]')
export const problem = find('[role=alert]')
const log = find('[role=log]')

/** Shows a text in the log: in its own entry, or in one that exists. */
export function show(id: string, text: string): void {
  const entry = document.getElementById(id) ?? log.appendChild(document.createElement('li'))
  Object.assign(entry, { id, textContent: text })
}

/** Lets the caller type instead of speaking, and tests use the client. */
export function prepare(client: PipecatClient): void {
  find('form').addEventListener('submit', (event) => {
    event.preventDefault()
    client.sendText(document.querySelector('input')!.value).catch(() => {})
  })
  Object.assign(document, { client })
}

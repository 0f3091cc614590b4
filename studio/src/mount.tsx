import { render } from 'preact'
import { App } from './app.tsx'
import type { Calls } from './call-client.ts'
import { Phone } from './phone.ts'
import { follow } from './store.ts'

/** Puts the page into an element. */
export function mount(element: HTMLElement, calls: Calls): void {
  follow()
  render(<App phone={new Phone(calls)} />, element)
}

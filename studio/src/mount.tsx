import { render } from 'preact'
import { App } from './app.tsx'
import type { Calls } from './call/call-client.ts'
import { Phone } from './call/phone.ts'
import { connect } from './host/store.ts'

/** Renders the page into an element. */
export function mount(element: HTMLElement, calls: Calls): void {
  connect()
  render(<App phone={new Phone(calls)} />, element)
}

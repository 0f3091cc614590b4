import type { Devices } from './call-client.ts'

/** What the page remembers for the next call. */
export interface PhoneSettings {
  readonly pushToTalk?: boolean
  /** From 0 to 1. */
  readonly volume?: number
  readonly devices?: Devices
}

const KEY = 'endwell phone'

export function storedSettings(): PhoneSettings {
  try {
    return (JSON.parse(localStorage.getItem(KEY) ?? '{}') as PhoneSettings | null) ?? {}
  } catch {
    return {}
  }
}

export function storeSettings(settings: PhoneSettings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings))
  } catch {
    // The browser has no storage: the settings last as long as the page.
  }
}

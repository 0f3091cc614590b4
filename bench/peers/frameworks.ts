import { vendors as google } from './google/vendors.ts'
import { vendors as openai } from './openai/vendors.ts'
import { vendorByUrl } from './vendor-by-url.ts'
import type { Vendors } from './vendor.ts'

/** A framework in the table. Its cases are in the folder of its name. */
export interface Framework {
  /** The name of its folder, and the value for `--only`. */
  readonly name: string
  readonly title: string
  /** Packages whose versions are printed. */
  readonly packages: readonly string[]
  readonly vendors: Vendors
}

const common: Vendors = { 'by url': vendorByUrl }

export const frameworks: readonly Framework[] = [
  {
    name: 'livekit',
    title: 'LiveKit Agents',
    packages: ['@livekit/agents', '@livekit/rtc-node'],
    vendors: common,
  },
  {
    name: 'openai',
    title: 'OpenAI Agents, realtime',
    packages: ['@openai/agents', '@openai/agents-extensions'],
    vendors: openai,
  },
  {
    name: 'google',
    title: 'Google Gen AI and ADK, live',
    packages: ['@google/genai', '@google/adk'],
    vendors: google,
  },
]

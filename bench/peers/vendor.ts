import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DialRequest } from '../../src/scope/index.ts'
import type { Manners } from '../../src/testing/index.ts'

/** A vendor's server: serves WebSockets, answers requests, and carries out orders of a case. */
export interface Vendor {
  readonly serve?: (request: DialRequest) => Manners
  readonly http?: (request: IncomingMessage, response: ServerResponse) => void
  readonly orders?: Readonly<Record<string, () => void>>
}

/** The vendors of a framework, by name. Each run creates its own. */
export type Vendors = Readonly<Record<string, () => Vendor>>

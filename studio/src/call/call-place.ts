import { computed } from '@preact/signals'
import { request } from '../host/api.ts'
import { info } from '../host/store.ts'
import type { CallPlace } from './call-client.ts'

/** Where the host accepts calls. Undefined if it does not accept any from the page. */
export const callPlace = computed<CallPlace | undefined>(() => {
  const { call: url, callToken, webrtc } = info.value ?? {}
  return url === undefined ? undefined : { url, webrtc, ...(callToken ? { token } : {}) }
})

async function token(): Promise<string> {
  const response = await request('api/call-token', { method: 'POST' })
  return ((await response.json()) as { token: string }).token
}

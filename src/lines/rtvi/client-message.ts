import { limits } from './limits.ts'

/** The version of RTVI that is spoken here. */
export const protocolVersion = '2.1.0'

/** Every message has this label. Messages with another one belong to something else. */
export const label = 'rtvi-ai'

/** A message from a client, checked. */
export type ClientMessage = { readonly id: string | undefined } & (
  | { readonly type: 'client-ready'; readonly version: string }
  | {
      readonly type: 'send-text'
      readonly text: string
      /** Whether the text asks for an answer now, also if the agent speaks. */
      readonly runsNow: boolean
      readonly wantsSound: boolean
    }
  | { readonly type: 'client-message'; readonly about: string; readonly data: unknown }
  | { readonly type: 'llm-function-call-result'; readonly call: string; readonly result: unknown }
  | { readonly type: 'dtmf'; readonly keys: string }
  | { readonly type: 'disconnect-bot' }
  /** To be answered with this error. */
  | { readonly type: 'refused'; readonly error: string }
)

/** Reads a message of a client. Undefined if it is not RTVI, or needs no answer. Clients are not trusted. */
export function readClientMessage(json: string): ClientMessage | undefined {
  const message = parse(json)
  if (message?.['label'] !== label || typeof message['type'] !== 'string') return undefined
  const type = message['type'].slice(0, limits.name)
  // A client that streams snapshots of its page would be told several times per second that nobody looks at them.
  if (type === 'ui-snapshot') return undefined
  const id = isName(message['id']) ? message['id'] : undefined
  const read = readers[type as keyof typeof readers]
  if (!Object.hasOwn(readers, type) || !read)
    return { id, type: 'refused', error: `unsupported type '${type}'` }
  const content = read(isObject(message['data']) ? message['data'] : {})
  return { id, ...(content ?? { type: 'refused', error: `'${type}' has missing or malformed data` }) }
}

type Content = ClientMessage extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never
type Data = Readonly<Record<string, unknown>>

const readers: Readonly<
  Record<Exclude<ClientMessage['type'], 'refused'>, (data: Data) => Content | undefined>
> = {
  'client-ready': ({ version }) => ({ type: 'client-ready', version: isName(version) ? version : '' }),
  'send-text': ({ content, options }) => {
    if (typeof content !== 'string') return undefined
    const { run_immediately: runs, audio_response: sound } = isObject(options) ? options : ({} as Data)
    const text = content.slice(0, limits.text)
    return { type: 'send-text', text, runsNow: runs !== false, wantsSound: sound !== false }
  },
  'client-message': ({ t, d }) => (isName(t) ? { type: 'client-message', about: t, data: d } : undefined),
  'llm-function-call-result': ({ tool_call_id: call, result }) =>
    isName(call) ? { type: 'llm-function-call-result', call, result } : undefined,
  dtmf: ({ buttons, button }) => {
    const all: unknown = buttons ?? [button]
    const areKeys = Array.isArray(all) && all.length <= limits.keys && all.every((key) => isKey(key))
    return areKeys ? { type: 'dtmf', keys: all.join('') } : undefined
  },
  'disconnect-bot': () => ({ type: 'disconnect-bot' }),
}

const isName = (value: unknown): value is string => typeof value === 'string' && value.length <= limits.name

const isKey = (value: unknown): value is string => typeof value === 'string' && /^[0-9*#]$/.test(value)

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parse(json: string): Data | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

import { EndwellError } from '../../scope/index.ts'

/** An element of TwiML: a verb such as `Connect`, or a noun in it such as `Stream`. */
export interface Twiml {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Twiml[]
  readonly text: string
}

interface MutableTwiml extends Twiml {
  readonly children: MutableTwiml[]
  text: string
}

const TOKEN =
  /<\?[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z][\w.-]*)((?:\s+[\w:.-]+\s*=\s*"[^"]*")*)\s*(\/?)>|([^<]+)/y
const ATTRIBUTE = /([\w:.-]+)\s*=\s*"([^"]*)"/g

/** Parses the response of a webhook as strictly as Twilio does. Returns the verbs of its `<Response>`. */
export function readTwiml(xml: string): readonly Twiml[] {
  const root: MutableTwiml = { name: '', attributes: {}, children: [], text: '' }
  const open: MutableTwiml[] = [root]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < xml.length) {
    const at = TOKEN.lastIndex
    const token = TOKEN.exec(xml)
    if (!token) throw malformed(`syntax error at '${xml.slice(at, at + 20)}'`)
    const [, slash, name, attributes = '', selfClosing, text] = token
    const here = open.at(-1)!
    if (text !== undefined) here.text += decodeEntities(text)
    else if (name === undefined) continue
    else if (slash) {
      if (here.name !== name) throw malformed(`</${name}> does not match <${here.name}>`)
      open.pop()
    } else {
      const element: MutableTwiml = { name, attributes: attributesOf(attributes), children: [], text: '' }
      here.children.push(element)
      if (!selfClosing) open.push(element)
    }
  }
  if (open.length > 1) throw malformed(`<${open.at(-1)!.name}> is not closed`)
  const [response, ...more] = root.children
  if (response?.name !== 'Response' || more.length > 0) throw malformed('it must be exactly one <Response>')
  return response.children
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name!, decodeEntities(value!)]),
  )
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replace(
    /&(?:(\w+)|#(\d+)|#x([\da-f]+));/gi,
    (whole, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal))
    },
  )
}

function malformed(why: string): EndwellError {
  return new EndwellError('BAD_TWIML', `the webhook's response is not valid TwiML: ${why}`)
}

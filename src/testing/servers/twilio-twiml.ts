import { EndwellError } from '../../scope/index.ts'

/** An element of TwiML: a verb such as `Connect`, or a noun in it such as `Stream`. */
export interface Twiml {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Twiml[]
  readonly text: string
}

interface Growing extends Twiml {
  readonly children: Growing[]
  text: string
}

const TOKEN =
  /<\?[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([A-Za-z][\w.-]*)((?:\s+[\w:.-]+\s*=\s*"[^"]*")*)\s*(\/?)>|([^<]+)/y
const ATTRIBUTE = /([\w:.-]+)\s*=\s*"([^"]*)"/g

/** Reads what a webhook answered, as strictly as Twilio does: the verbs of its `<Response>`. */
export function readTwiml(xml: string): readonly Twiml[] {
  const root: Growing = { name: '', attributes: {}, children: [], text: '' }
  const open: Growing[] = [root]
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < xml.length) {
    const at = TOKEN.lastIndex
    const token = TOKEN.exec(xml)
    if (!token) throw malformed(`it cannot be read from '${xml.slice(at, at + 20)}' on`)
    const [, slash, name, attributes = '', selfClosing, text] = token
    const here = open.at(-1)!
    if (text !== undefined) here.text += plain(text)
    else if (name === undefined) continue
    else if (slash) {
      if (here.name !== name) throw malformed(`</${name}> closes <${here.name}>`)
      open.pop()
    } else {
      const element: Growing = { name, attributes: attributesIn(attributes), children: [], text: '' }
      here.children.push(element)
      if (!selfClosing) open.push(element)
    }
  }
  if (open.length > 1) throw malformed(`<${open.at(-1)!.name}> is not closed`)
  const [response, ...more] = root.children
  if (response?.name !== 'Response' || more.length > 0) throw malformed('it is not one <Response>')
  return response.children
}

function attributesIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(ATTRIBUTE)].map(([, name, value]) => [name!, plain(value!)]))
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function plain(text: string): string {
  return text.replace(
    /&(?:(\w+)|#(\d+)|#x([\da-f]+));/gi,
    (whole, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? whole
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal))
    },
  )
}

function malformed(why: string): EndwellError {
  return new EndwellError('BAD_TWIML', `the webhook answered with something that is no TwiML: ${why}`)
}

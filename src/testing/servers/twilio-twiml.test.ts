import { describe, expect, it } from 'vitest'
import { readTwiml } from './twilio-twiml.ts'

describe('TwiML', () => {
  it('is parsed with its nouns, attributes and entities', () => {
    const xml = `<?xml version="1.0" encoding="UTF-8"?>
      <Response>
        <!-- a note -->
        <Connect><Stream url="wss://a.example/s?x=1&amp;y=2" name='n'/></Connect>
      </Response>`
    expect(() => readTwiml(xml)).toThrow('syntax error')
    expect(readTwiml(xml.replace(` name='n'`, ' name = "&#x41;&#66;"'))).toMatchObject([
      {
        name: 'Connect',
        children: [{ name: 'Stream', attributes: { url: 'wss://a.example/s?x=1&y=2', name: 'AB' } }],
      },
    ])
    expect(readTwiml('<Response><Say>a &lt; b</Say></Response>')).toMatchObject([
      { name: 'Say', text: 'a < b' },
    ])
  })

  it.each(['', '<Response>', '<Response></Responses>', '<Say/>', '<Response/><Response/>'])(
    'is refused if it is malformed: "%s"',
    (xml) => {
      expect(() => readTwiml(xml)).toThrow(expect.objectContaining({ code: 'BAD_TWIML' }))
    },
  )
})

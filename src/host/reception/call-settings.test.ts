import { describe, expect, it } from 'vitest'
import { noop } from '../../scope/index.ts'
import type { RecordingSink } from '../../session/index.ts'
import { defaultPriceList } from '../../session/index.ts'
import type { AgentFile, CallPart } from '../agent-file.ts'
import { Recordings } from '../recordings.ts'
import { CallSettings } from './call-settings.ts'

/** An agent file that opens a recording for each part, and notes which ones were given up. */
function stage(session?: AgentFile['session']) {
  const asked: number[] = []
  const aborted: number[] = []
  const opens = ({ id, part }: CallPart): { recording: RecordingSink } => {
    asked.push(part)
    const abort = (): void => void aborted.push(part)
    return { recording: { place: `${id}-${part}.wav`, write: noop, close: noop, abort } }
  }
  const file = { session: session ?? opens } as unknown as AgentFile
  return { asked, aborted, settings: new CallSettings({ file }, 'c1') }
}

describe('the settings of a call', () => {
  it('are asked for once', () => {
    const { asked, aborted, settings } = stage()
    expect(settings.place).toBe('c1-1.wav')
    expect(settings.of(1).recording?.place).toBe('c1-1.wav')
    expect([asked, aborted]).toEqual([[1], []])
  })

  it('give up the recording of a part that is not needed', () => {
    const { asked, aborted, settings } = stage()
    expect(settings.place).toBe('c1-1.wav')
    expect(settings.of(3).recording?.place).toBe('c1-3.wav')
    expect([asked, aborted]).toEqual([[1, 3], [1]])
  })

  it('give up the recording if there will be no session', () => {
    const { aborted, settings } = stage()
    expect(settings.place).toBe('c1-1.wav')
    settings.discard()
    settings.discard()
    expect(aborted).toEqual([1])
  })

  it('survive an agent file that throws, and throw it where the session is made', () => {
    const { settings } = stage(() => {
      throw new Error('no disk')
    })
    expect(settings.place).toBeUndefined()
    expect(() => settings.of(1)).toThrow('no disk')
    settings.discard()
  })

  it('survive a recording that throws when it is given up', () => {
    const abort = (): never => {
      throw new Error('stuck')
    }
    const { settings } = stage(() => ({ recording: { write: noop, close: noop, abort } }))
    settings.of(1)
    settings.discard()
  })

  it('leave options alone that all calls share', () => {
    let aborted = false
    const recording = { place: 'all.wav', write: noop, close: noop, abort: () => void (aborted = true) }
    const { settings } = stage({ recording })
    expect(settings.place).toBe('all.wav')
    settings.discard()
    expect(aborted).toBe(false)
  })
  it('have a recording in the folder of the host, unless the agent file has its own', () => {
    const recordings = new Recordings('/recordings')
    const plain = new CallSettings({ file: {} as AgentFile }, 'c1', recordings)
    expect(plain.place).toBe('/recordings/c1.wav')
    expect(plain.of(1).recording?.place).toBe('/recordings/c1.wav')
    expect(plain.of(2).recording?.place).toBe('/recordings/c1-2.wav')
    const own = { place: 'own.wav', write: noop, close: noop, abort: noop }
    const file = { session: { recording: own } } as unknown as AgentFile
    expect(new CallSettings({ file }, 'c1', recordings).of(1).recording).toBe(own)
    expect(new CallSettings({ file: {} as AgentFile }, 'c1').of(1)).toEqual({})
  })

  it('[CL16] have the price list of the agent file, else that of the host, else the one that endwell ships', () => {
    const [own, hosts] = ['EUR', 'CHF'].map((currency) => ({ currency, products: {} }))
    const file = {} as AgentFile
    const priced = { session: { priceList: own } } as unknown as AgentFile
    expect(new CallSettings({ file: priced, priceList: hosts }, 'c1').whole(1).priceList).toBe(own)
    expect(new CallSettings({ file, priceList: hosts }, 'c1').whole(1).priceList).toBe(hosts)
    expect(new CallSettings({ file }, 'c1').whole(1).priceList).toBe(defaultPriceList)
  })
})

import { describe, expect, it } from 'vitest'
import { withExtra } from './extra.ts'

describe('extra fields for a vendor', () => {
  it('[PT7] are merged last, object by object', () => {
    const sent = { model: 'one', audio: { input: { rate: 1 }, output: { voice: 'a' } }, tools: ['x'] }
    expect(
      withExtra(sent, {
        model: 'two',
        audio: { output: { style: 1 } },
        tools: ['y'],
        reasoning: { effort: 'low' },
      }),
    ).toEqual({
      model: 'two',
      audio: { input: { rate: 1 }, output: { voice: 'a', style: 1 } },
      tools: ['y'],
      reasoning: { effort: 'low' },
    })
    expect(withExtra(sent, { audio: null, model: { id: 'x' } })).toMatchObject({
      audio: null,
      model: { id: 'x' },
    })
    expect(withExtra(sent)).toEqual(sent)
  })

  it('do not change the object that they are merged into', () => {
    const sent = { audio: { output: { voice: 'a' } } }
    withExtra(sent, { audio: { output: { voice: 'b' } } })
    expect(sent).toEqual({ audio: { output: { voice: 'a' } } })
  })
})

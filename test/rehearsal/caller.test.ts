import { describe, expect, it } from 'vitest'
import { rehearseWith } from './fixture.ts'

describe('the caller of a rehearsal', () => {
  const long = 'We are open from nine to five, and on Saturdays until noon.'

  it('interrupts after given words, and the interrupted turn has what was heard', async () => {
    await using call = await rehearseWith([long, 'Sorry.'])
    const turn = await call.run('When are you open?', { until: 'nine to' })
    const next = await call.interrupts('Wait, no')
    turn.expect.interruptedMessage(/nine to$/).nothingElse()
    next.expect.message('Sorry.').nothingElse()
  })

  it('cannot interrupt a silent agent, or wait for words that are never said', async () => {
    await using call = await rehearseWith([long])
    await expect(call.interrupts('Wait')).rejects.toThrow(/the agent is not speaking/)
    await expect(call.run('Hello?', { until: 'ten' })).rejects.toThrow(
      /^run\('Hello\?'\): the agent never said 'ten'\n\n[^]*desk +We are open/,
    )
  })

  it('can let the agent finish a turn that was stopped in the middle', async () => {
    await using call = await rehearseWith([long])
    const turn = await call.run('When?', { until: 'nine' })
    ;(await call.waits(0)).expect.nothingElse()
    turn.expect.message(long).nothingElse()
  })

  it('can be silent until the session ends', async () => {
    await using call = await rehearseWith([], {}, { idleTimeout: 20_000, goodbye: { idle: 'Goodbye.' } })
    ;(await call.waits(10_000)).expect.nothingElse()
    ;(await call.waits(60_000)).expect.message('Goodbye.').closed('idle').nothingElse()
    expect(call.clock.now()).toBeLessThan(30_000)
    expect(await call.close()).toMatchObject({ reason: 'idle', alsoAsked: [] })
    await expect(call.run('Still there?')).rejects.toThrow(/the session is closed\n\n[^]*Goodbye/)
  })

  it('presses keys, which become an event or text', async () => {
    await using keys = await rehearseWith([], {}, { turns: { dtmf: {} } })
    ;(await keys.presses('12')).expect.digits('12').nothingElse()
    expect(keys.clock.now()).toBe(3_000)
    await using words = await rehearseWith(['Twelve.'], {}, { turns: { dtmf: { as: 'text', count: 2 } } })
    ;(await words.presses('12')).expect.message('Twelve.').nothingElse()
    expect(words.clock.now()).toBeLessThan(1_000)
    await using without = await rehearseWith([])
    await expect(without.presses('1')).rejects.toThrow(/turns: \{ dtmf/)
  })

  it('hangs up, or vanishes', async () => {
    const polite = await rehearseWith([long])
    const turn = await polite.run('When?', { until: 'nine' })
    expect(await polite.hangsUp()).toMatchObject({ reason: 'caller-hung-up', clean: true })
    turn.expect.interruptedMessage('nine').nothingElse()
    polite.turns.at(-1)!.expect.closed('caller-hung-up').nothingElse()
    const lost = await rehearseWith([])
    expect(await lost.vanishes()).toMatchObject({ reason: 'caller-lost' })
    await expect(lost.hangsUp()).rejects.toThrow('hangsUp(): the session is closed')
  })

  it('cannot do two things at once: a missing await is reported', async () => {
    await using call = await rehearseWith(['Yes.', 'No.'])
    const first = call.run('One')
    await expect(call.run('Two')).rejects.toThrow("run('Two'): run('One') has not finished")
    ;(await first).expect.message('Yes.')
    await expect(call.run('  ')).rejects.toThrow('run() needs a text')
  })
})

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WorkRunner, type AfterCallHandlers } from '../../../src/host/index.ts'
import { Scope, systemClock } from '../../../src/scope/index.ts'
import { Program } from '../../program.ts'
import { FakeWorkJournal, reportOf } from './fake-work-journal.ts'

/** The handlers of the example, which reads its environment when it is loaded. */
async function handlersWith(env: Readonly<Record<string, string>>): Promise<AfterCallHandlers> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const { default: agent } = await import('../../../examples/after-call/agent.ts')
  return agent.afterCall
}

const transcript = [
  { type: 'message', role: 'user', text: 'Are you open?' },
  { type: 'tool', name: 'hours' },
  { type: 'message', role: 'agent', text: 'Until six.' },
]

describe('the example of after-call work', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('[HO2] saves the transcript, and its receiver takes a webhook that comes twice once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'endwell-after-call-'))
    const receiver = new Program(['--import', 'tsx', 'examples/after-call/receiver.ts'], {
      env: { PORT: '0' },
    })
    const scope = new Scope('worker')
    try {
      const url = await receiver.prints(/http:\S+/)
      const handlers = await handlersWith({ CRM_URL: url, TRANSCRIPTS: join(folder, 'transcripts') })
      const journal = new FakeWorkJournal(systemClock, { ...reportOf('c1'), transcript } as never)
      journal.add('c1:saveTranscript', { handler: 'saveTranscript' })
      const crm = journal.add('c1:crm', { handler: 'crm' })
      const done: string[] = []
      await new Promise<void>((resolve) => {
        const runner = new WorkRunner({
          scope,
          journal,
          owner: 'host 1',
          handlers,
          onAttempt: ({ handler, outcome }) => {
            done.push(`${handler} ${outcome}`)
            if (done.length === 3) return resolve()
            if (handler !== 'crm' || crm.attempts > 1) return undefined
            // As if the process had died before it could write that down.
            crm.state = 'waiting'
            crm.dueAt = 0
            return runner.wake()
          },
        })
      })
      expect(done.toSorted()).toEqual(['crm done', 'crm done', 'saveTranscript done'])
      expect(crm.attempts).toBe(2)
      expect(readFileSync(join(folder, 'transcripts', 'c1.txt'), 'utf8')).toBe(
        'user: Are you open?\nagent: Until six.\n',
      )
      const forged = await fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-id': 'c2:crm' } })
      expect(forged.status).toBe(401)
      expect(receiver.out.match(/call c\d ended: .*/g)).toEqual(['call c1 ended: caller-hung-up'])
    } finally {
      await scope.close()
      receiver.signal('SIGTERM')
      await receiver.ended()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

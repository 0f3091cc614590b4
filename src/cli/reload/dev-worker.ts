// The main file of a worker of `endwell dev`: serves one version of the agent file.

import { WorkerLink, serveCalls, takeSettings, type WorkerSettings } from '../../host/dev.ts'
import { modelNames } from '../../host/index.ts'
import { describeError, noop } from '../../scope/index.ts'
import type { SessionReport } from '../../session/index.ts'
import { openChosen, type ChosenAgent } from '../choose-models.ts'
import { heldOpen, holders } from '../held-open.ts'
import { injectedFaults } from '../injected-faults.ts'
import { terminalLog } from '../terminal-log.ts'
import { terminal, timeOfDay } from '../terminal.ts'
import type { DevArguments, DevRequest } from './dev-messages.ts'
import { endedLines } from './ended-lines.ts'
import { reportLoadedFiles } from './loaded-files.ts'

async function main(link: WorkerLink, settings: WorkerSettings, own: DevArguments): Promise<void> {
  const before = holders()
  const tell = (request: DevRequest): Promise<unknown> => link.request(request)
  const say = (request: DevRequest): void => void tell(request).catch(noop)
  const { file, choice, models: made } = await open(settings.agentFile, own.model, tell)
  const to = {
    print: (...lines: readonly string[]) => say({ type: 'print', lines }),
    json: (value: unknown) => say({ type: 'json', value }),
  }
  const show = (line: string, fields: object): void => (own.json ? to.json(fields) : to.print(line))
  await tell({ type: 'opened', name: file.name, models: modelNames(made) })
  const { address } = await serveCalls(link, settings, {
    file: { ...file, afterCall: {} },
    models: choice.models,
    made,
    logger: terminalLog({ level: settings.logLevel, json: own.json, to }),
    info: {
      mode: 'dev',
      generation: own.generation,
      ...(choice.phrases ? { phrases: choice.phrases } : {}),
    },
    // A page that is closed is not waited for as long as one whose process died.
    rejoinTimeout: 5_000,
    ...injectedFaults(),
    began: (id, from) => show(`${timeOfDay()} call  ${id} · from ${from}`, { session: id, from }),
    ended: (report) =>
      say({ type: 'ended', call: report.id, lines: endedLines(report), value: summaryOf(report) }),
    finished: async (end) => {
      await tell({ type: 'finished', end, held: await heldOpen(before) }).catch(noop)
    },
  })
  link.ready(address)
}

/** Loads the agent file, and reports what was loaded. Does not return if that fails: the process ends. */
async function open(
  path: string,
  model: string | undefined,
  tell: (request: DevRequest) => Promise<unknown>,
): Promise<ChosenAgent> {
  const flush = reportLoadedFiles((file) => void tell({ type: 'loaded', ...file }).catch(noop))
  try {
    const opened = await openChosen(path, model)
    flush()
    return opened
  } catch (error) {
    flush()
    const { code = 'FAILED', message } = describeError(error)
    await tell({ type: 'failed', code, message })
    return process.exit(1)
  }
}

function summaryOf({ id, reason, clean, took, error }: SessionReport): object {
  return { session: id, reason, clean, took, ...(error ? { error } : {}) }
}

const link = WorkerLink.open()
if (!link) {
  terminal.complain('this file is started by `endwell dev`')
  process.exitCode = 2
} else {
  const own = JSON.parse(process.argv[2] ?? '{}') as DevArguments
  main(link, takeSettings(process.env), own).catch((error: unknown) => {
    terminal.complain(describeError(error).message)
    process.exit(1)
  })
}

import { spawn } from 'node:child_process'
import { connect } from 'node:net'

import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

import { serverUnderTest } from './tools-under-test.ts'

// An MCP server as a process, for tests: `node mcp-server.js PORT MANNERS…`. It reports its events to the
// test that listens at the port. The connection to that port closes when the process ends.
const [port, ...manners] = process.argv.slice(2)
const has = (manner: string): boolean => manners.includes(manner)
const test = connect(Number(port), '127.0.0.1')
const report = (event: string): void => void test.write(`${event}\n`)
await new Promise<void>((resolve) => test.once('connect', resolve))
report(`pid ${process.pid}`)

if (has('dies-at-once')) {
  process.stderr.write(`Error: the key ${process.env['SECRET']} is wrong\n  at somewhere\n`)
  process.exit(3)
}
// Once stdin has ended, only this connection keeps the process alive, and only a rude server lets it.
if (!has('ignores-end') && !has('wants-sigterm')) test.unref()
process.stdin.once('end', () => report('input ended'))
if (has('ignores-end')) process.on('SIGTERM', () => report('SIGTERM'))
if (has('has-a-child') || has('has-an-escaped-child')) {
  const life = `process.on('SIGTERM', () => {})
    const test = require('net').connect(${port}, '127.0.0.1', () => test.write('child ' + process.pid + '\\n'))`
  const detached = has('has-an-escaped-child')
  spawn(process.execPath, ['-e', life], { stdio: 'inherit', detached }).unref()
}
if (has('complains')) for (let i = 0; i < 100; i++) process.stderr.write(`${'complaint '.repeat(5_000)}\n`)
if (has('babbles')) {
  const babble = (): void => {
    while (process.stdout.write('hello\n'.repeat(1_000)));
  }
  process.stdout.on('drain', babble)
  babble()
}
if (has('chats')) process.stdout.write('Starting…\n\n{"not":"a message"}\n[}\n{"jsonrpc":"2.0"}\n')
if (has('writes-one-endless-line')) process.stdout.write('x'.repeat(5 * 1024 * 1024))

if (has('never-answers')) process.stdin.on('data', () => report('received input'))
else {
  const server = serverUnderTest(report, {
    hangsInList: has('hangs-in-list'),
    endless: has('endless-list'),
    die: () => process.exit(7),
  })
  await server.connect(new StdioServerTransport())
}

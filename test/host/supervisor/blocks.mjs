// Ways to block an event loop, beside the fake worker and not compiled into it: the tests compare these lines.
import { execSync } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'

export function loop() {
  for (;;);
}

export function regex() {
  return /^(a+)+$/.test(`${'a'.repeat(60)}b`)
}

export function atomics() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

export function exec() {
  execSync('sleep 600')
}

export function pbkdf2() {
  pbkdf2Sync('password', 'salt', 2_000_000_000, 64, 'sha512')
}

export async function later() {
  await Promise.resolve()
  loop()
}

// The hooks that the guard installs in Node, for the other user of them: a hunt, which runs each function of an agent in a
// context of its own.
export type { Context, LateOrigin, Opened, Refusal } from './context.ts'
export { installHooks } from './install-hooks.ts'
export type { Runtime } from './runtime.ts'

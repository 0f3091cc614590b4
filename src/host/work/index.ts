export {
  handlersProblem,
  type AfterCallContext,
  type AfterCallHandler,
  type AfterCallHandlers,
} from './after-call.ts'
export { RetryLater, Unrecoverable, WebhookError } from './errors.ts'
export type { WorkJournal } from './journal-calls.ts'
export { webhook } from './webhook.ts'
export type { WebhookOptions } from './webhook-options.ts'
export { WorkRunner, type WorkAttempt, type WorkRunnerOptions } from './work-runner.ts'

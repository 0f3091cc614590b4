import { silentLogger } from '../../parts/index.ts'
import { systemClock } from '../../scope/index.ts'
import { OtelCallTrace, traceLost } from './call-trace.ts'
import { Spans, type OtelApi } from './spans.ts'
import type { CallTrace, Traces, TracesOptions } from './trace-types.ts'

/**
 * Opens the traces of a host. They go to the OpenTelemetry SDK that the application has set up. Without the package
 * `@opentelemetry/api`, or without an SDK, calls are not traced and cost nothing.
 *
 * ```ts
 * const traces = await openTraces()
 * const trace = traces.call({ id, line: 'phone', parent: traceparentOf(request.headers) })
 * const session = new Session({ agent, line, models: trace.models(models) })
 * trace.follow(session)
 * ```
 */
export async function openTraces(options: TracesOptions = {}): Promise<Traces> {
  const { content = false, clock = systemClock, logger = silentLogger } = options
  const { load = () => import('@opentelemetry/api') } = options
  try {
    const spans = new Spans((await load()) as OtelApi, content)
    return {
      call: (call) => {
        const trace = new OtelCallTrace(spans, call, clock, content)
        return trace.isRecording ? trace : untraced(trace.traceparent ?? call.parent)
      },
      lost: (call, report) => traceLost(spans, call, report),
    }
  } catch (error) {
    // Not installed is not a mistake: the package is optional.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'))
      logger.warn({ error }, 'calls are not traced: @opentelemetry/api could not be loaded')
    return { call: ({ parent }) => untraced(parent), lost: () => {} }
  }
}

/** A call that is not traced. The trace that it belongs to is still passed on. */
function untraced(traceparent: string | undefined): CallTrace {
  return { traceparent, models: (models) => models, follow: () => {}, failed: () => {} }
}

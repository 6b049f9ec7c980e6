import {
  Attributes,
  Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  TraceFlags,
  Tracer,
} from '@opentelemetry/api';
import { DomainError } from '../../kernel/domain-error';

/** Where the trace of a piece of work is continued, as the W3C writes it in the header `traceparent`. */
export interface TraceParent {
  readonly traceparent?: string;
}

/** The tracer of the current tracing: one that is kept would belong to the first for ever. */
export const tracer = (): Tracer => trace.getTracer('countinghouse');

/**
 * Runs `work` in a span of the trace of its caller, or of a new one. Without a collector (see Tracing) it only runs the
 * work. Names and attributes contain no value from a request.
 * @param parent continues another trace than that of the caller
 */
export function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  parent?: TraceParent,
): Promise<T> {
  const from = parent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, parent);
  if (isOfUnsampledTrace(from)) return parent === undefined ? work() : context.with(from, work);
  return tracer().startActiveSpan(name, { attributes }, from, async (span) => {
    try {
      return await work();
    } catch (error) {
      // Messages of errors may contain personal data.
      span.setAttribute('error.type', error instanceof DomainError ? error.code : kindOf(error));
      if (!(error instanceof DomainError)) span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Returns what another process needs to continue the trace of the caller; empty without one. */
export function currentTrace(): TraceParent {
  const carrier: TraceParent = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

/** Returns a function that makes others run in the trace of the present caller, whoever calls them. */
export function inTraceOfCaller(): <Work extends () => unknown>(work: Work) => Work {
  const active = context.active();
  return (work) => context.bind(active, work);
}

/** Most requests are not sampled, and their parts need no spans. */
function isOfUnsampledTrace(from: Context): boolean {
  const parent = trace.getSpanContext(from);
  return parent !== undefined && (parent.traceFlags & TraceFlags.SAMPLED) === 0;
}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

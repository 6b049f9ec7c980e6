import type { Attributes, Context, ContextManager, Tracer } from '@opentelemetry/api';
import { context, propagation, ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { DomainError } from '../../kernel/domain-error';
import { currentCall, runInScope } from './call-scope';

/** Where the trace of a piece of work is continued, as the W3C writes it in the header `traceparent`. */
export interface TraceParent {
  readonly traceparent?: string;
}

let newTraces = 0;

/** Sets the part of all new traces that is recorded, from 0 to 1; 0 at first. */
export function recordNewTraces(part: number): void {
  newTraces = part;
}

/** Decides whether a new trace is recorded, before anything is done for it: most are not, and cost nothing. */
export function recordsNewTrace(): boolean {
  return Math.random() < newTraces;
}

/** The tracer of the current tracing: one that is kept would belong to the first for ever. */
export const tracer = (): Tracer => trace.getTracer('countinghouse');

/**
 * Runs `work` in a span of the trace of its caller. Without one, or without a collector (see Tracing), it only runs the
 * work: most requests are not traced, and pay nothing. Names and attributes contain no value from a request.
 */
export function inSpan<T>(name: string, attributes: Attributes, work: () => Promise<T>): Promise<T> {
  const active = context.active();
  return isTraced(active) ? runIn(name, attributes, work, active) : work();
}

/**
 * Runs `work` in the first span of a trace, or in one that continues another trace. The tracing decides which traces are
 * recorded.
 * @param parent the trace that is continued; by default a new one begins
 */
export function inTrace<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  parent: TraceParent = {},
): Promise<T> {
  if (parent.traceparent === undefined && !recordsNewTrace()) return work();
  return runIn(name, attributes, work, propagation.extract(ROOT_CONTEXT, parent));
}

async function runIn<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  parent: Context,
): Promise<T> {
  const span = tracer().startSpan(name, { attributes }, parent);
  if (!span.isRecording()) return work();
  try {
    return await context.with(trace.setSpan(parent, span), work);
  } catch (error) {
    // Messages of errors may contain personal data.
    span.setAttribute('error.type', error instanceof DomainError ? error.code : classifyError(error));
    if (!(error instanceof DomainError)) span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** Returns what another process needs to continue the trace of the caller; empty without one. */
export function currentTrace(): TraceParent {
  const carrier: TraceParent = {};
  propagation.inject(context.active(), carrier);
  return carrier;
}

function isTraced(from: Context): boolean {
  return ((trace.getSpanContext(from)?.traceFlags ?? TraceFlags.NONE) & TraceFlags.SAMPLED) !== 0;
}

function classifyError(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

/** Keeps the contexts of OpenTelemetry in the scope of the call. */
export class CallContexts implements ContextManager {
  active(): Context {
    return currentCall()?.trace ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    trace: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return runInScope({ trace }, () => work.apply(thisArg, args));
  }

  bind<T>(trace: Context, target: T): T {
    if (typeof target !== 'function') return target;
    const work = target as (...args: unknown[]) => unknown;
    const bound: typeof work = (...args) => runInScope({ trace }, () => work(...args));
    return bound as T;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}

import { context, propagation, trace } from '@opentelemetry/api';
import type { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../../kernel/clock';
import type { CollectorExporter } from './collector-exporter';
import type { Log } from './log';
import { CallContexts, recordNewTraces } from './spans';
import type { TelemetrySettings } from './telemetry.settings';

/** The stop of the service does not wait longer for the collector. */
const STOP_WITHIN_MS = 2 * SECOND_MS;

/** A batch of spans is lost when the collector does not take it within this time. */
const DEADLINE_MS = 10 * SECOND_MS;

/** Sends the spans of this process to an OpenTelemetry collector. A process has one tracing, since spans are global. */
export class Tracing {
  private provider: NodeTracerProvider | null = null;
  private exporter: CollectorExporter | null = null;

  constructor(
    private readonly settings: TelemetrySettings['tracing'],
    private readonly log: Log,
  ) {}

  /** Begins to send, if the settings name a collector. Its libraries are loaded only then. */
  async start(): Promise<void> {
    if (this.settings === null) return;
    const { endpoint, sampledPart, serviceName } = this.settings;
    const {
      AlwaysOnSampler,
      BatchSpanProcessor,
      NodeTracerProvider,
      ParentBasedSampler,
      TraceIdRatioBasedSampler,
    } = await import('@opentelemetry/sdk-trace-node');
    const { CollectorExporter } = await import('./collector-exporter.js');
    const { resourceFromAttributes } = await import('@opentelemetry/resources');
    const part = new TraceIdRatioBasedSampler(sampledPart);
    this.exporter = new CollectorExporter(`${endpoint.replace(/\/$/, '')}/v1/traces`, this.log, DEADLINE_MS);
    this.provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName }),
      // A client may continue its trace here, but does not decide how much is traced.
      sampler: new ParentBasedSampler({
        root: new AlwaysOnSampler(), // of those that `recordsNewTrace` lets begin
        remoteParentSampled: part,
        remoteParentNotSampled: part,
      }),
      spanProcessors: [new BatchSpanProcessor(this.exporter)],
    });
    this.provider.register({ contextManager: new CallContexts() });
    recordNewTraces(sampledPart);
  }

  /** Sends what is left. A collector that does not respond soon loses it. */
  async stop(): Promise<void> {
    if (this.provider === null) return;
    recordNewTraces(0);
    const shutdown = this.provider.shutdown().catch(() => undefined);
    await Promise.race([shutdown, delay(STOP_WITHIN_MS, undefined, { ref: false })]);
    this.exporter?.abort();
    for (const global of [trace, context, propagation]) global.disable();
  }
}

import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Agent, type ClientRequest } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { Log } from './log';

/** What Node.js calls for each request of an agent. Its types leave it out. */
interface RequestingAgent {
  addRequest(request: ClientRequest, options: object): void;
}

const KEEP = { keepAlive: true };

/** Sends spans to a collector. Whatever the collector does, a request ends by its deadline, and its connection too. */
export class CollectorExporter extends OTLPTraceExporter {
  private readonly requests = new Set<ClientRequest>();
  private fails = false;

  constructor(
    url: string,
    private readonly log: Log,
    private readonly deadlineMs: number,
  ) {
    super({
      url,
      timeoutMillis: deadlineMs,
      httpAgentOptions: (protocol) =>
        this.limit(protocol === 'https:' ? new TlsAgent(KEEP) : new Agent(KEEP)),
    });
  }

  /** Logs the first failure of several, since there may be one every few seconds. */
  override export(...[spans, done]: Parameters<OTLPTraceExporter['export']>): void {
    super.export(spans, (result) => {
      if (result.error !== undefined && !this.fails)
        this.log.failure('The collector takes no traces', result.error);
      this.fails = result.error !== undefined;
      done(result);
    });
  }

  /** Gives up the requests in progress. */
  abort(): void {
    for (const request of this.requests) request.destroy(new Error('The request was given up.'));
  }

  private limit<Limited extends Agent>(agent: Limited): Limited {
    const requesting = agent as unknown as RequestingAgent;
    const addRequest = requesting.addRequest.bind(agent);
    requesting.addRequest = (request, options) => {
      this.endByDeadline(request);
      addRequest(request, options);
    };
    return agent;
  }

  /** The timeout of the exporter is one of silence, so a byte from time to time would hold a request. */
  private endByDeadline(request: ClientRequest): void {
    this.requests.add(request);
    const timer = setTimeout(
      () => request.destroy(new Error('The collector took too long.')),
      this.deadlineMs,
    );
    request.once('close', () => {
      clearTimeout(timer);
      this.requests.delete(request);
    });
    // Without a listener, Node.js closes the connection and the request never ends.
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      request.emit('error', new Error('The collector switches protocols.'));
    });
  }
}

import { Agent, request } from 'node:http';

/** A response, or null as the status when the connection broke before the response was complete. */
export interface Exchange {
  readonly status: number | null;
  readonly text: string;
  readonly ms: number;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly token?: string;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: string | object;
  readonly headers?: Record<string, string>;
}

const MAX_IDLE_CONNECTIONS = 10;
const GIVE_UP_AFTER_MS = 120_000;

/**
 * Sends requests over keep-alive connections from an address of its own. Every address of 127.0.0.0/8 is a client network
 * of its own to the service (on Linux; other systems have only 127.0.0.1).
 */
export class HttpClient {
  private readonly agent: Agent;

  constructor(
    private readonly url: string,
    localAddress: string,
    maxFreeSockets = MAX_IDLE_CONNECTIONS,
  ) {
    this.agent = new Agent({ keepAlive: true, maxFreeSockets, localAddress });
  }

  send({ method, path, token, body, headers }: Call): Promise<Exchange> {
    const start = performance.now();
    const options = {
      method,
      agent: this.agent,
      timeout: GIVE_UP_AFTER_MS,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...headers,
      },
    };
    return new Promise((resolve) => {
      const end = (status: number | null, text: string): void =>
        resolve({ status, text, ms: performance.now() - start });
      const sent = request(`${this.url}${path}`, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => end(response.statusCode!, Buffer.concat(chunks).toString()));
        response.on('error', (error) => end(null, error.message));
      });
      sent.on('timeout', () => sent.destroy(new Error('No response in time.')));
      sent.on('error', (error) => end(null, error.message));
      sent.end(typeof body === 'object' ? JSON.stringify(body) : body);
    });
  }

  /** Closes all connections. */
  close(): void {
    this.agent.destroy();
  }
}

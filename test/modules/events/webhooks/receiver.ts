import { once } from 'node:events';
import { createServer, IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How the receiver responds. */
type Respond = (response: ServerResponse, received: Received) => void;

const accept: Respond = (response) => response.end('thank you');

/** A server that receives webhooks on the loopback interface. */
export class Receiver {
  readonly received: Received[] = [];
  /** The connections that were made. */
  connections = 0;
  respond: Respond = accept;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(): Promise<Receiver> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = new Receiver(server, (server.address() as AddressInfo).port);
    server.on('connection', () => (receiver.connections += 1));
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const received = { path: request.url!, headers: request.headers, body };
        receiver.received.push(received);
        receiver.respond(response, received);
      });
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Responds with this status from now on. */
  respondWith(status: number, headers: Record<string, string> = {}): void {
    this.respond = (response) => response.writeHead(status, headers).end('as configured');
  }

  accept(): void {
    this.respond = accept;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

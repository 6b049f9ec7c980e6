import { once } from 'node:events';
import { Agent, createServer, IncomingMessage, request, Server, ServerResponse } from 'node:http';
import { AddressInfo } from 'node:net';

const CHECK_MS = 50;

interface Target {
  readonly url: string;
  isReady: boolean;
}

/** Sends requests in turn to the replicas whose `/health/ready` is 200. It repeats none, so that clients see each failure. */
export class LoadBalancer {
  private readonly targets: Target[] = [];
  private readonly agent = new Agent({ keepAlive: true });
  private readonly checks: NodeJS.Timeout;
  private turn = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (incoming, response) => this.forward(incoming, response));
    this.checks = setInterval(() => this.targets.forEach((target) => void check(target)), CHECK_MS);
  }

  static async start(): Promise<LoadBalancer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LoadBalancer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  add(url: string): void {
    this.targets.push({ url, isReady: false });
  }

  isReady(url: string): boolean {
    return this.targets.some((target) => target.url === url && target.isReady);
  }

  async stop(): Promise<void> {
    clearInterval(this.checks);
    this.agent.destroy();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(incoming: IncomingMessage, response: ServerResponse): void {
    const ready = this.targets.filter(({ isReady }) => isReady);
    const target = ready[(this.turn += 1) % ready.length];
    if (target === undefined) return void response.writeHead(502).end();
    const { method, headers, url } = incoming;
    const outgoing = request(new URL(url!, target.url), { method, headers, agent: this.agent });
    outgoing.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  }
}

async function check(target: Target): Promise<void> {
  target.isReady = await fetch(`${target.url}/health/ready`).then(
    ({ status }) => status === 200,
    () => false,
  );
}

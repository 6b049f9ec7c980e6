import { once } from 'node:events';
import { AddressInfo, connect, createServer, Server, Socket } from 'node:net';

/** What a cut leaves: a request that did not arrive, one whose response is lost, or one with half a response. */
const moments = ['before the request', 'before the response', 'within the response'] as const;

/** A TCP proxy before a service that cuts connections: one message in `every`, at each moment in turn. */
export class CuttingProxy {
  cuts = 0;
  private messages = 0;

  private constructor(
    private readonly server: Server,
    private readonly every: number,
  ) {}

  static async before(serviceUrl: string, { every }: { every: number }): Promise<CuttingProxy> {
    const port = Number(new URL(serviceUrl).port);
    const server = createServer();
    const proxy = new CuttingProxy(server, every);
    server.on('connection', (client: Socket) => proxy.join(client, connect(port, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
  }

  private join(client: Socket, service: Socket): void {
    const cut = (): void => {
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) socket.on('error', cut).on('close', cut);
    let moment: (typeof moments)[number] | undefined;
    client.on('data', (request) => {
      moment = this.nextCut();
      if (moment === 'before the request') cut();
      else service.write(request);
    });
    service.on('data', (response) => {
      if (moment === undefined) client.write(response);
      else if (moment === 'before the response') cut();
      else client.write(response.subarray(0, response.length / 2), cut);
    });
  }

  private nextCut(): (typeof moments)[number] | undefined {
    this.messages += 1;
    if (this.messages % this.every !== 0) return undefined;
    this.cuts += 1;
    return moments[this.cuts % moments.length];
  }
}

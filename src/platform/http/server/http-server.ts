import type { FastifyInstance } from 'fastify';
import { constants } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { clientNetwork } from '../../../kernel/client-network';
import { MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
import type { Log } from '../../telemetry/log';
import type { HttpSettings } from '../http.settings';
import { rejectSpecialRequests } from './malformed-http';
import { oneAtATime } from './pipeline';

export interface ConnectionLimits {
  /** The time that a TLS handshake may take. */
  readonly handshakeTimeoutMs: number;
  /** The time in which a request must arrive completely. */
  readonly requestTimeoutMs: number;
  /** The time in which a client must take a response. */
  readonly sendTimeoutMs: number;
  /** The time that an idle connection is kept. */
  readonly keepAliveMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  handshakeTimeoutMs: 10 * SECOND_MS,
  requestTimeoutMs: 30 * SECOND_MS,
  sendTimeoutMs: 30 * SECOND_MS,
  keepAliveMs: 72 * SECOND_MS,
};

/** Connections are checked for requests that do not arrive in time at this interval. */
const CHECK_MS = SECOND_MS;

/** TLS 1.3, and TLS 1.2 with forward secrecy and authenticated encryption only. */
const TLS = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  // HTTP/1.1 needs no second handshake, which costs the server more than the client.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const;

/** Creates the server that accepts connections and reads requests. No client can hold more of it than these limits. */
export function createHttpServer(
  handler: RequestListener,
  settings: HttpSettings,
  { handshakeTimeoutMs, requestTimeoutMs, keepAliveMs }: ConnectionLimits,
  log: Log,
): Server {
  const options = {
    requireHostHeader: false, // Node's own response has no body, so a hook checks the header
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: keepAliveMs,
  };
  const listener = oneAtATime(handler);
  const { tls, maxConnections, maxConnectionsPerNetwork } = settings;
  const server = tls
    ? createTlsServer(
        {
          ...options,
          ...TLS,
          handshakeTimeout: handshakeTimeoutMs,
          cert: readFileSync(tls.certFile),
          key: readFileSync(tls.keyFile),
        },
        listener,
      )
    : createServer(options, listener);
  server.on('connection', new ConnectionLimit(maxConnections, maxConnectionsPerNetwork, log).accept);
  rejectSpecialRequests(server);
  return server;
}

/** Bounds the open connections, in total and of one client network. Further connections are closed at once. */
class ConnectionLimit {
  private open = 0;
  private readonly openByNetwork = new Map<string, number>();
  private reportedAtMs = -Infinity;

  constructor(
    private readonly max: number,
    private readonly maxPerNetwork: number,
    private readonly log: Log,
  ) {}

  readonly accept = (socket: Socket): void => {
    const network = clientNetwork(socket.remoteAddress ?? '');
    if (this.open >= this.max || this.openOf(network) >= this.maxPerNetwork) {
      this.report();
      socket.destroy();
      return;
    }
    this.count(network, 1);
    socket.once('close', () => this.count(network, -1));
  };

  private openOf(network: string): number {
    return this.openByNetwork.get(network) ?? 0;
  }

  private count(network: string, change: 1 | -1): void {
    const open = this.openOf(network) + change;
    if (open === 0) this.openByNetwork.delete(network);
    else this.openByNetwork.set(network, open);
    this.open += change;
  }

  /** Logs at most once per minute that connections are closed. */
  private report(): void {
    if (performance.now() - this.reportedAtMs < MINUTE_MS) return;
    this.reportedAtMs = performance.now();
    this.log.notice(
      `Closed a connection because of MAX_CONNECTIONS: ${this.open} are open, at most ${this.maxPerNetwork} of one network.`,
    );
  }
}

/**
 * Accepts connections on every address of `localhost`, usually 127.0.0.1 and ::1, since clients differ in which they
 * try. The HTTP server listens on the first; connections to the others are passed to it.
 */
export function listenOnAllOfLocalhost(fastify: FastifyInstance): void {
  const others: TcpServer[] = [];
  let closed: Promise<unknown> = Promise.resolve();
  fastify.addHook('onListen', async () => {
    const main = fastify.server.address() as AddressInfo;
    for (const { address } of await lookup('localhost', { all: true })) {
      if (address !== main.address) others.push(passConnections(address, main.port, fastify.server));
    }
  });
  fastify.addHook('preClose', async () => {
    closed = Promise.all(others.map((other) => new Promise((resolve) => other.close(resolve))));
  });
  fastify.addHook('onClose', async () => void (await closed));
}

function passConnections(host: string, port: number, server: TcpServer): TcpServer {
  const options = { allowHalfOpen: true, noDelay: true }; // as those of the HTTP server
  return createTcpServer(options, (socket) => server.emit('connection', socket))
    .on('error', () => undefined) // the address is in use or does not exist: the first one is sufficient
    .listen(port, host);
}

import { lookup, Resolver } from 'node:dns/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { SECOND_MS } from '../../../kernel/clock';
import { type AttemptResult, type DeliveryError, type SignedMessage, WebhookSender } from './webhook-sender';
import { isAllowedAddress } from './endpoint-addresses';

/** All addresses of a host. */
type Resolve = (hostname: string) => Promise<readonly string[]>;

export interface SenderOptions {
  readonly allowPrivateAddresses: boolean;
  /** For name resolution, connection and response together. */
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
  /** The name servers that are asked where private addresses are refused, for example `127.0.0.1:5353`. */
  readonly nameServers?: readonly string[];
}

const TIMEOUT_MS = 15 * SECOND_MS;
/** Unused connections are closed after this time, sooner than most servers close them. */
const IDLE_MS = 4 * SECOND_MS;
/** Unused connections that are kept, over all hosts. */
const MAX_IDLE = 100;
/** More of a response is not read; its connection is closed. */
const MAX_RESPONSE_BYTES = 16 * 1024;
const MAX_STORED_CHARACTERS = 1_000;
/** Responses of 1xx before the one that counts. */
const MAX_INFORMATIONAL = 10;
/** A server may close an unused connection while the request is on its way. */
const MAX_STALE_CONNECTIONS = 3;

class AddressRefused extends Error {}
class NameNotFound extends Error {}
class NoResponse extends Error {}

/** A response as far as it has arrived. */
interface Arrived {
  readonly status: number;
  readonly body: string;
}

/** Closes a connection instead of keeping it for the next request when too many are kept already. */
class HttpAgent extends http.Agent {
  override keepSocketAlive(socket: Duplex): boolean {
    const isReusable: unknown = super.keepSocketAlive(socket); // the types do not declare it
    return isReusable === true && idleConnections(this) < MAX_IDLE;
  }
}

class HttpsAgent extends https.Agent {
  override keepSocketAlive(socket: Duplex): boolean {
    const isReusable: unknown = super.keepSocketAlive(socket); // the types do not declare it
    return isReusable === true && idleConnections(this) < MAX_IDLE;
  }
}

function idleConnections({ freeSockets }: http.Agent): number {
  return Object.values(freeSockets).reduce((count, sockets) => count + (sockets?.length ?? 0), 0);
}

/**
 * Sends webhooks with HTTP. The addresses of a host are checked where they are used for the connection, so a name whose
 * address changes leads nowhere else. Redirects are not followed, and no proxy is used.
 */
export class HttpWebhookSender extends WebhookSender {
  private readonly allowPrivate: boolean;
  private readonly timeoutMs: number;
  private readonly resolve: Resolve;
  private readonly agents: Readonly<Record<string, http.Agent>>;

  constructor({ allowPrivateAddresses, timeoutMs = TIMEOUT_MS, resolve, nameServers }: SenderOptions) {
    super();
    this.allowPrivate = allowPrivateAddresses;
    this.timeoutMs = timeoutMs;
    this.resolve = resolve ?? (allowPrivateAddresses ? systemAddresses : dnsAddresses(nameServers));
    const options = { keepAlive: true, timeout: IDLE_MS };
    this.agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
  }

  refuses(url: string): boolean {
    const address = parseLiteralAddress(url);
    return address !== null && !isAllowedAddress(address, this.allowPrivate);
  }

  async send(message: SignedMessage, deadline = new AbortController()): Promise<AttemptResult> {
    const startedAt = performance.now();
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    const timer = setTimeout(() => deadline.abort(), this.timeoutMs);
    try {
      const { status, body } = await this.post(message, deadline.signal);
      return {
        error: classifyStatus(status),
        responseStatus: status,
        responseBody: body,
        durationMs: durationMs(),
      };
    } catch (error) {
      const kind = deadline.signal.aborted ? 'timeout' : classifyError(error);
      return { error: kind, responseStatus: null, responseBody: null, durationMs: durationMs() };
    } finally {
      clearTimeout(timer);
    }
  }

  private async post(message: SignedMessage, deadline: AbortSignal): Promise<Arrived> {
    // No look-up precedes the connection to an address.
    if (this.refuses(message.url)) throw new AddressRefused();
    for (let attempt = 1; ; attempt += 1) {
      const request = this.open(message);
      try {
        return await exchange(request, message.body, deadline);
      } catch (error) {
        const isStale = request.reusedSocket && (error as NodeJS.ErrnoException).code === 'ECONNRESET';
        if (!isStale || attempt === MAX_STALE_CONNECTIONS) throw error;
      }
    }
  }

  private open({ url, headers, body }: SignedMessage): http.ClientRequest {
    const { protocol } = new URL(url);
    return (protocol === 'https:' ? https : http).request(url, {
      method: 'POST',
      agent: this.agents[protocol],
      lookup: this.lookup,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': 'Countinghouse-Webhooks',
        ...headers,
      },
    });
  }

  private readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.checkedAddresses(hostname).then(
      (addresses) => {
        if (options.all) return callback(null, addresses);
        callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error: Error) => callback(error, []),
    );
  };

  /** @throws AddressRefused when any of the addresses is refused, since an attacker may hope for the other one */
  private async checkedAddresses(hostname: string): Promise<{ address: string; family: number }[]> {
    const addresses = await this.resolve(hostname);
    if (addresses.length === 0) throw new NameNotFound();
    this.assertAllowed(addresses);
    return addresses.map((address) => ({ address, family: isIP(address) }));
  }

  private assertAllowed(addresses: readonly string[]): void {
    if (!addresses.every((address) => isAllowedAddress(address, this.allowPrivate)))
      throw new AddressRefused();
  }
}

/** The host of a URL in its normal form, if it is an address; null for a name. */
function parseLiteralAddress(url: string): string | null {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : host;
}

/** Asks the name servers directly: the system's look-up occupies a thread until a slow name server responds. */
function dnsAddresses(nameServers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: 3 * SECOND_MS, tries: 2 });
  if (nameServers !== undefined) resolver.setServers(nameServers);
  return async (hostname) => {
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    return found.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  };
}

/** The system also knows names of private networks, for example from /etc/hosts. */
async function systemAddresses(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/**
 * Sends a request and reads the response, until its end or the deadline, whatever the other side does: it may switch
 * protocols, send 1xx or single bytes for ever, or not read the request. The status decides, so a response may break off.
 * @throws Error when no status has arrived by then
 */
function exchange(request: http.ClientRequest, body: string, deadline: AbortSignal): Promise<Arrived> {
  return new Promise((resolve, reject) => {
    let response: http.IncomingMessage | null = null;
    let informational = 0;
    let bytes = 0;
    const chunks: Buffer[] = [];
    /** Only the first call has an effect on the promise. */
    const end = (error: Error = new NoResponse()): void => {
      deadline.removeEventListener('abort', expire);
      const isReusable = response?.complete === true && request.writableFinished;
      if (!isReusable) request.destroy();
      if (response === null) reject(error);
      else resolve({ status: response.statusCode!, body: firstCharacters(chunks) });
    };
    const expire = (): void => end();
    const read = (incoming: http.IncomingMessage): void => {
      response = incoming;
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > MAX_RESPONSE_BYTES) end();
      });
      incoming.on('end', () => end());
      incoming.on('error', end);
    };
    request.on('response', read);
    request.on('information', () => {
      informational += 1;
      if (informational > MAX_INFORMATIONAL) end();
    });
    // The connection then belongs to nobody else.
    request.on('upgrade', (incoming, socket) => {
      response = incoming;
      socket.destroy();
      end();
    });
    request.on('error', end);
    request.on('close', () => end());
    deadline.addEventListener('abort', expire);
    if (deadline.aborted) end();
    else request.end(body);
  });
}

function firstCharacters(chunks: readonly Buffer[]): string {
  const text = Buffer.concat(chunks).toString('utf8').slice(0, MAX_STORED_CHARACTERS);
  // PostgreSQL stores no NUL, and a cut may have left half a character.
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

function classifyStatus(status: number): DeliveryError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect' : 'bad_status';
}

function classifyError(error: unknown): DeliveryError {
  if (error instanceof AddressRefused) return 'address_refused';
  if (error instanceof NameNotFound) return 'dns';
  const { code = '' } = error as NodeJS.ErrnoException;
  return /CERT|TLS|SSL|VERIFY/.test(code) ? 'certificate' : 'connection';
}

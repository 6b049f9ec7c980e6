const SECRETS = new Set(['password', 'current_password', 'access_token', 'refresh_token', 'payment_url']);
const REPLAYED = 'Idempotency-Replayed';

const print = (line = '') => process.stdout.write(`${line}\n`);

/** JSON for printing, with secrets masked. */
const masked = (value) =>
  JSON.stringify(value, (name, member) =>
    SECRETS.has(name) && typeof member === 'string' ? '(masked)' : member,
  );

/**
 * The stage of the tour: prints each request with its response, and compares the response with the OpenAPI document of
 * the service.
 */
export class Narrator {
  /** The last request, by its method and path. */
  lastCall = '';
  #contract;
  #fault = null;
  #losesNext = false;
  #keys = new Set();

  /**
   * @param admin the login of an admin, or null
   * @param contract the documented responses, a `Contract` of test/support/contract.ts
   */
  constructor(baseUrl, admin, contract) {
    this.baseUrl = baseUrl;
    this.admin = admin;
    this.#contract = contract;
  }

  chapter(title) {
    this.verify();
    print(`\n== ${title} ==`);
  }

  /** @throws Error when an earlier response was not as documented */
  say(text) {
    this.verify();
    print(`\n${text}`);
  }

  /** @throws Error when a response was not as documented */
  verify() {
    if (this.#fault !== null) throw new Error(this.#fault);
  }

  loseNextResponse() {
    this.#losesNext = true;
  }

  /** Returns a `fetch` that prints what this person sends and receives. */
  fetchOf(name) {
    return async (request, init) => {
      const { method, url, headers } = request;
      const path = url.slice(this.baseUrl.length);
      const key = headers.get('idempotency-key');
      const sent = await request.clone().text();
      const isLost = this.#losesNext;
      this.#losesNext = false;
      const response = await fetch(request, init);
      const reply = { status: response.status, body: await bodyOf(response) };
      const isReplayed = response.headers.get(REPLAYED) === 'true';

      this.lastCall = `${method} ${path}`;
      print(`  ${name}: ${method} ${path}${key ? `  Idempotency-Key: ${key}` : ''}`);
      if (sent) print(`    ${masked(JSON.parse(sent))}`);
      print(`    ${reply.status}${isReplayed ? ' (replayed)' : ''} ${masked(reply.body)}`);
      // A `fetch` that throws would be a lost connection for the client, which would send the request again.
      this.#fault ??= this.#contract.mismatch(method, path, reply);
      if (key && response.ok) {
        if (isReplayed !== this.#keys.has(key)) this.#fault ??= `${this.lastCall}: ${REPLAYED} is wrong`;
        this.#keys.add(key);
      }
      if (isLost) {
        print('    (The connection is lost before this response arrives.)');
        throw new TypeError('The connection was lost.');
      }
      return response;
    };
  }
}

/** Returns the parsed body of a response, or an empty object if it is not JSON. */
async function bodyOf(response) {
  const body = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof body === 'object' && body !== null ? body : {};
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from './connection.mjs';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const INSTRUMENT = new URL('./instrument.mjs', import.meta.url).href;
const START_MS = 60_000;

/** A server in a process of its own, which reports its CPU time. */
export class Server {
  static running = [];

  /** Starts a script as `npm start` does, but without npm in between, so that it receives signals. */
  static async start(script, settings) {
    const port = await freePort();
    const child = spawn(process.execPath, ['--max-semi-space-size=32', '--import', INSTRUMENT, script], {
      cwd: root,
      env: { ...process.env, PORT: String(port), ...settings },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const server = new Server(child, port);
    Server.running.push(server);
    await server.untilReady();
    return server;
  }

  static async stopAll() {
    for (const server of Server.running.splice(0).reverse()) await server.stop();
  }

  constructor(child, port) {
    this.child = child;
    this.port = port;
    this.opened = [];
  }

  /** Returns open connections. Servers close those that no row has used for a minute. */
  connections(count) {
    this.opened = this.opened.filter(({ open }) => open);
    while (this.opened.length < count) this.opened.push(new Connection(this.port));
    return this.opened.slice(0, count);
  }

  /** Sends a question that instrument.mjs answers. */
  async ask(question, argument) {
    const answer = new Promise((resolve) => this.child.once('message', resolve));
    this.child.send({ ask: question, with: argument });
    return (await answer).answer;
  }

  async untilReady() {
    const deadline = performance.now() + START_MS;
    for (;;) {
      const probe = new Connection(this.port);
      const ready = await probe.call({ method: 'GET', path: '/health/ready' }).then(
        ({ status }) => status === 200,
        () => false,
      );
      probe.end();
      if (ready) return;
      if (this.child.exitCode !== null || performance.now() > deadline) throw new Error('It did not start.');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async stop() {
    for (const connection of this.opened) connection.end();
    if (this.child.exitCode !== null) return;
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await exited;
  }
}

/** Benchmarks that run at the same time would otherwise send their requests to one service. */
async function freePort() {
  const listener = createServer().listen(0);
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return port;
}

export const SERVICE = join(root, 'scripts', 'start.mjs');
const WITH_HOOK = join(root, 'bench', 'support', 'with-hook.mjs');
const WITHOUT_EVENTS = join(root, 'bench', 'support', 'without-events.mjs');
const BARE = join(root, 'bench', 'rivals', 'bare-fastify.mjs');
const PLAIN_NEST = join(root, 'bench', 'rivals', 'plain-nest.mjs');

/** The servers that are measured, all on one database. Each is started when a row first needs it. */
export class Servers {
  started = new Map();
  /** The URL to which the server with traces sends them. */
  collector;

  /**
   * @param shared settings that all of them have
   * @param otherCheckout the folder of another version of the service, or undefined
   */
  constructor(shared, otherCheckout) {
    this.shared = shared;
    this.otherCheckout = otherCheckout;
  }

  get(name) {
    if (!this.started.has(name)) this.started.set(name, this.start(name));
    return this.started.get(name);
  }

  start(name) {
    const beside = { ...this.shared, RUN_WORKER: 'false' };
    switch (name) {
      case 'service':
        return Server.start(SERVICE, this.shared);
      case 'beside': // as others beside the first, for comparisons with them
        return Server.start(SERVICE, beside);
      case 'control':
        return Server.start(SERVICE, beside);
      case 'without-events':
        return Server.start(WITHOUT_EVENTS, beside);
      case 'with-traces':
        return Server.start(SERVICE, { ...beside, OTEL_EXPORTER_OTLP_ENDPOINT: this.collector });
      case 'without-group-commit':
        return Server.start(SERVICE, { ...beside, GROUP_COMMIT: 'false' });
      case 'with-hook':
        return Server.start(WITH_HOOK, beside);
      case 'other-checkout':
        return Server.start(join(this.otherCheckout, 'scripts', 'start.mjs'), beside);
      case 'bare-fastify':
        return Server.start(BARE, beside);
      case 'plain-nest':
        return Server.start(PLAIN_NEST, beside);
    }
    throw new Error(`There is no server "${name}".`);
  }
}

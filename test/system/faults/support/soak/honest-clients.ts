import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { Api } from '../../../../support/api';
import { compile } from '../../../../support/compiled';
import { anOwner, Owner, PASSWORD, theAdmin } from '../../../../support/people';
import { Login } from './honest-client';
import { Served, Setup } from './steady-load';
import type { Request } from './steady-load.worker';

const OWNERS = 6;
const SOURCES = ['test/support', 'test/system/faults/support/soak'];

/**
 * A steady load of honest clients in a thread of its own: the attackers and the double of Stripe keep the thread of the
 * test busy, and would delay requests and clock of clients that share it.
 */
export class HonestClients {
  private constructor(
    private readonly worker: Worker,
    private readonly folder: string,
    /** The emails of the clients, which attackers know. */
    readonly emails: readonly string[],
  ) {}

  static async start(url: string): Promise<HonestClients> {
    const api = await Api.of(url);
    const owners: Owner[] = [];
    for (let index = 0; index < OWNERS; index += 1) owners.push(await anOwner(api));
    const login = ({ email, token, refreshToken }: Omit<Login, 'accountId' | 'password'>): Login => ({
      email,
      password: PASSWORD,
      token,
      refreshToken,
      accountId: owners[0]!.accountId,
    });
    const setup: Setup = {
      url,
      owners: owners.map((owner) => ({ ...login(owner), accountId: owner.accountId })),
      admin: login(await theAdmin(api)),
    };
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'countinghouse-clients-'));
    for (const sources of SOURCES) compile(sources, folder);
    const file = path.join(folder, SOURCES[1]!, 'steady-load.worker.js');
    return new HonestClients(
      new Worker(file, { workerData: setup }),
      folder,
      setup.owners.map(({ email }) => email),
    );
  }

  /** Starts a new period. @returns what was served in the last one, after its last response */
  nextPeriod(): Promise<Served> {
    return this.ask('next period') as Promise<Served>;
  }

  async stop(): Promise<void> {
    await this.ask('stop');
    await this.worker.terminate();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  /** @throws the error that ended the thread */
  private async ask(request: Request): Promise<unknown> {
    this.worker.postMessage(request);
    const [response] = await once(this.worker, 'message');
    return response;
  }
}

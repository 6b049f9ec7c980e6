import { ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import PostalMime, { Email } from 'postal-mime';

type Behaviour = 'accept' | 'defer' | 'refuse' | 'strange' | 'hold';

interface Told {
  readonly port?: number;
  readonly tried?: string;
  readonly mail?: { readonly raw: string; readonly from: string; readonly to: string[] };
}

/** A mail as it arrived. */
export interface Arrived extends Email {
  readonly raw: string;
  readonly envelope: { readonly from: string; readonly to: string[] };
}

/** A password that shows wherever it is copied to. */
export const SMTP_PASSWORD = 'canary-of-the-mail-server';
const SMTP_USER = 'countinghouse';

/** A real mail server, in a process of its own. */
export class SmtpServer {
  readonly arrived: Arrived[] = [];
  /** How often somebody tried to send to whom. */
  readonly tried: string[] = [];

  private constructor(
    private process: ChildProcess,
    private port: number,
  ) {}

  static async start(): Promise<SmtpServer> {
    const server = new SmtpServer(spawn(0), 0);
    await server.listening();
    return server;
  }

  /** For SMTP_URL and MAIL_FROM. */
  get settings(): { SMTP_URL: string; MAIL_FROM: string } {
    return {
      SMTP_URL: `smtp://${SMTP_USER}:${SMTP_PASSWORD}@127.0.0.1:${this.port}`,
      MAIL_FROM: 'payments@countinghouse.test',
    };
  }

  async behave(behaviour: Behaviour): Promise<void> {
    const done = new Promise<void>((resolve) => {
      const listen = (told: { behaviour?: Behaviour }): void => {
        if (told.behaviour !== behaviour) return;
        this.process.off('message', listen);
        resolve();
      };
      this.process.on('message', listen);
    });
    this.process.send(behaviour);
    await done;
  }

  /** What came for that address. */
  to(address: string): Arrived[] {
    return this.arrived.filter(({ envelope }) => envelope.to.includes(address));
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }

  /** Comes back where it was. */
  async restart(): Promise<void> {
    this.process = spawn(this.port);
    await this.listening();
  }

  private async listening(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.process.on('message', ({ port, tried, mail }: Told) => {
        if (tried !== undefined) this.tried.push(tried);
        if (mail !== undefined) void this.take(mail);
        if (port === undefined) return;
        this.port = port;
        resolve();
      });
    });
  }

  private async take({ raw, from, to }: NonNullable<Told['mail']>): Promise<void> {
    this.arrived.push({ ...(await PostalMime.parse(raw)), raw, envelope: { from, to } });
  }
}

function spawn(port: number): ChildProcess {
  return fork(join(__dirname, 'smtp-server.mjs'), [String(port), SMTP_USER, SMTP_PASSWORD]);
}

import { ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import PostalMime, { Email } from 'postal-mime';

type Behavior = 'accept' | 'defer' | 'reject' | 'reject-sender' | 'hold';

/** A message from smtp-server.mjs. */
interface ServerMessage {
  readonly port?: number;
  readonly recipient?: string;
  readonly mail?: { readonly raw: string; readonly from: string; readonly to: string[] };
}

/** A received email. */
export interface Arrived extends Email {
  readonly raw: string;
  readonly envelope: { readonly from: string; readonly to: string[] };
}

/** A canary: tests check that it appears nowhere else. */
export const SMTP_PASSWORD = 'canary-of-the-mail-server';
const SMTP_USER = 'countinghouse';

/** An SMTP server in a separate process. */
export class SmtpServer {
  readonly arrived: Arrived[] = [];
  /** The recipients of all attempts to send. */
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

  /** The settings that make the service use this server. */
  get settings(): { SMTP_URL: string; MAIL_FROM: string } {
    return {
      SMTP_URL: `smtp://${SMTP_USER}:${SMTP_PASSWORD}@127.0.0.1:${this.port}`,
      MAIL_FROM: 'payments@countinghouse.test',
    };
  }

  async behave(behavior: Behavior): Promise<void> {
    const done = new Promise<void>((resolve) => {
      const listen = (message: { behavior?: Behavior }): void => {
        if (message.behavior !== behavior) return;
        this.process.off('message', listen);
        resolve();
      };
      this.process.on('message', listen);
    });
    this.process.send(behavior);
    await done;
  }

  /** The received emails for an address, without the links to verify it that every sign-up causes. */
  to(address: string): Arrived[] {
    return this.allTo(address).filter((email) => !isVerification(email));
  }

  /** The received links to verify an address. */
  verificationsTo(address: string): Arrived[] {
    return this.allTo(address).filter(isVerification);
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }

  /** Starts the server again on the same port. */
  async restart(): Promise<void> {
    this.process = spawn(this.port);
    await this.listening();
  }

  private allTo(address: string): Arrived[] {
    return this.arrived.filter(({ envelope }) => envelope.to.includes(address));
  }

  private async listening(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.process.on('message', ({ port, recipient, mail }: ServerMessage) => {
        if (recipient !== undefined) this.tried.push(recipient);
        if (mail !== undefined) void this.receive(mail);
        if (port === undefined) return;
        this.port = port;
        resolve();
      });
    });
  }

  private async receive({ raw, from, to }: NonNullable<ServerMessage['mail']>): Promise<void> {
    this.arrived.push({ ...(await PostalMime.parse(raw)), raw, envelope: { from, to } });
  }
}

function isVerification({ text }: Arrived): boolean {
  return text?.includes('/email-verification/') ?? false;
}

function spawn(port: number): ChildProcess {
  return fork(join(__dirname, 'smtp-server.mjs'), [String(port), SMTP_USER, SMTP_PASSWORD]);
}

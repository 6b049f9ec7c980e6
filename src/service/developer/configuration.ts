import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { Failure } from './failure';

/** What is kept between commands. */
export interface Configuration {
  /** The service, without a slash at the end. */
  readonly url?: string;
  /** The key is sent to `url` only. */
  readonly api_key?: string;
  /** Signs what `listen` forwards. */
  readonly webhook_secret?: string;
}

const MEMBERS = ['url', 'api_key', 'webhook_secret'] as const;

/** The configuration of a user: a file that nobody else can read. */
export class ConfigurationFile {
  readonly path: string;
  private readonly folder: string;

  constructor(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform) {
    this.folder = join(parentFolder(env, platform), 'countinghouse');
    this.path = join(this.folder, 'config.json');
  }

  /** @throws Failure when there is a file that cannot be read */
  read(): Configuration {
    try {
      return parse(readFileSync(this.path, 'utf8'));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return {};
      const reason = codeOf(error) ?? 'it is not a JSON object';
      throw new Failure(
        `${this.path} cannot be read (${reason}). "countinghouse logout" deletes it, "countinghouse login" writes it again.`,
      );
    }
  }

  /** The file is renamed after it is complete, so that a crash leaves no half of it. @throws Failure */
  write(configuration: Configuration): void {
    const unfinished = `${this.path}.${randomBytes(6).toString('hex')}`;
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 });
      chmodSync(this.folder, 0o700);
      writeFileSync(unfinished, `${JSON.stringify(configuration, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(unfinished, this.path);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw new Failure(`${this.path} cannot be written (${codeOf(error)}).`);
    }
  }

  /** @returns whether there was a file @throws Failure */
  delete(): boolean {
    try {
      rmSync(this.path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw new Failure(`${this.path} cannot be deleted (${codeOf(error)}).`);
    }
  }
}

/** The folder of a user's configuration. A relative XDG_CONFIG_HOME is invalid, as its specification says. */
function parentFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const home = env['HOME'] || homedir();
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming');
  const folder = env['XDG_CONFIG_HOME'];
  return folder && isAbsolute(folder) ? folder : join(home, '.config');
}

function parse(text: string): Configuration {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    MEMBERS.flatMap((name) => (typeof members[name] === 'string' ? [[name, members[name]]] : [])),
  );
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

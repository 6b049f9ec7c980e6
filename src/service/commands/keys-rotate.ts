import type { INestApplicationContext } from '@nestjs/common';
import { Option } from 'commander';
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { embeddedPostgresSettings } from '../../embedded-postgres/embedded-postgres.settings';
import { DAY_MS, SystemClock } from '../../kernel/clock';
import {
  keyIdOf,
  readGeneratedSecrets,
  secretsSettings,
  writeGeneratedSecrets,
} from '../../platform/config/secrets.settings';
import { ConfigError } from '../../platform/config/settings';
import { type CommandContext, type CommandSyntax, type ExitCode, exitCodes, UsageError } from '../command';
import type { Service } from '../service';
import { hasDatabase } from '../service-database';

/** `add`: all replicas learn the new secret. `promote`: it signs. `remove`: the old ones are forgotten. */
const rotationSteps = ['add', 'promote', 'remove'] as const;
type RotationStep = (typeof rotationSteps)[number];

/** How long an old secret is needed: stored requests with an Idempotency-Key are compared under it for seven days. */
const OVERLAP_MS = 7 * DAY_MS;

/** A secret of this command begins with the time of its creation, which tells how far a rotation has come. */
const CREATED = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})Z\./;

interface RotateOptions {
  readonly step?: RotationStep;
  readonly output: string;
  readonly stdout?: true;
  readonly json?: true;
}

/** The secrets after a step, and what is left to do. */
interface Rotation {
  readonly step: RotationStep;
  readonly secrets: readonly string[];
  readonly instruction: string;
  /** Stores the secrets. */
  write(): void;
}

export const rotateKeys: CommandSyntax<RotateOptions> = {
  name: 'keys rotate',
  summary: 'replace the secret of access tokens and encryption, step by step',
  details:
    'Takes the next of three steps that replace JWT_SECRETS without ending a session: 1. add, 2. promote, 3. remove, seven days later. It writes the new value of the setting to a file that only you can read; you roll it out to all replicas, and run the command again with the new setting. The secret that the service has generated for its embedded database is replaced in place, in two steps.',
  options: [
    new Option('--step <step>', 'the step, if the secrets do not tell').choices(rotationSteps),
    new Option('--output <file>', 'the file that is created').default('jwt-secrets.new'),
    new Option('--stdout', 'print the new value instead'),
  ],
  examples: ['', '--output /run/secrets/jwt_secrets.new', '--step promote'],
  failure: 'The secret cannot be rotated',
  run,
};

async function run({ service, terminal, output }: CommandContext, options: RotateOptions): Promise<ExitCode> {
  const settings = service.readSettings(terminal.env);
  const given = settings.of(secretsSettings);
  const now = new SystemClock().now();
  const rotation =
    given.length > 0
      ? rotateSetting(given, options, terminal.env, now)
      : rotateGenerated(settings.of(embeddedPostgresSettings).dataDir, options, now);
  const keys = rotation.secrets.map(keyIdOf);
  // With --stdout, the standard output has nothing but the value.
  const print = options.stdout ? (line: string) => terminal.stderr.write(`${line}\n`) : output.print;
  if (hasDatabase(settings)) await record(service, terminal.env, { step: rotation.step, keys }, print);
  rotation.write();
  const until = rotation.step === 'promote' ? new Date(now.getTime() + OVERLAP_MS).toISOString() : null;
  const value = options.stdout && given.length > 0 ? rotation.secrets.join(',') : undefined;
  print(
    `Step "${rotation.step}": ${keys[0]} signs${keys
      .slice(1)
      .map((key) => `, ${key} is accepted`)
      .join('')}.`,
  );
  print(rotation.instruction);
  if (until !== null) print(`The old secret is needed until ${until}. Run this command again then.`);
  if (value !== undefined && !options.json) terminal.stdout.write(`${value}\n`);
  output.result({ step: rotation.step, keys, old_needed_until: until, value });
  return exitCodes.ok;
}

/** Adds the entry of the audit log. The ids of secrets, which tokens contain too, disclose nothing. */
async function record(
  service: Service,
  env: NodeJS.ProcessEnv,
  details: { readonly step: RotationStep; readonly keys: readonly string[] },
  print: (line: string) => void,
): Promise<void> {
  const { AuditTrail, systemActor } = await import('../../platform/audit/audit-trail.js');
  const { Database } = await import('../../platform/database/database.js');
  const event = { action: 'secret.rotate', objectId: null, details };
  const work = (app: INestApplicationContext): Promise<void> =>
    app.get(Database).transaction(async (tx) => app.get(AuditTrail).record(tx, systemActor, event));
  await service.run(env, work, { print });
}

function rotateSetting(
  secrets: readonly string[],
  { step = nextStep(secrets), output: file, stdout }: RotateOptions,
  env: NodeJS.ProcessEnv,
  now: Date,
): Rotation {
  const rotated = rotate(secrets, step, now);
  if (!stdout && existsSync(file))
    throw new UsageError(`${file} exists already. Name another one with --output, or remove it.`);
  const value = stdout ? 'the value that is printed' : `the content of ${file}`;
  const setting = env['JWT_SECRETS_FILE'];
  const change = setting ? `Replace the content of ${setting} by` : 'Set JWT_SECRETS to';
  const next = step === 'add' ? ', then run this command again with the new setting' : '';
  return {
    step,
    secrets: rotated,
    instruction: `${change} ${value} for all replicas and workers, restart them one after the other${next}.`,
    write: () => (stdout ? undefined : writeNewFile(file, rotated.join(','))),
  };
}

/** One process uses the secret, so that no other has to learn the new one first. */
function rotateGenerated(dataDir: string, { step }: RotateOptions, now: Date): Rotation {
  const secrets = readGeneratedSecrets(dataDir);
  if (secrets === null) throw new ConfigError('DATA_DIR: there is no secret yet; the first start creates it');
  const due = step ?? (secrets.length === 1 ? 'promote' : nextStep(secrets));
  const all = secrets.length === 1 && due === 'promote' ? [...secrets, newSecret(now)] : secrets;
  const rotated = rotate(all, due, now);
  const write = (): void => writeGeneratedSecrets(dataDir, rotated);
  return { step: due, secrets: rotated, instruction: 'Restart the service.', write };
}

/** @throws UsageError when it cannot be written. A file that exists may hold the only copy of a secret */
function writeNewFile(file: string, text: string): void {
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}

export function newSecret(now: Date): string {
  return `${now.toISOString().slice(0, 16)}Z.${randomBytes(32).toString('base64url')}`;
}

/**
 * The step that comes next, by the order of the secrets and the time of their creation.
 * @throws ConfigError when the secrets do not tell
 */
function nextStep(secrets: readonly string[]): RotationStep {
  if (secrets.length === 1) return 'add';
  const times = secrets.map((secret) => createdAt(secret)?.getTime() ?? 0);
  const newest = Math.max(...times);
  if (newest === 0)
    throw new ConfigError(
      'JWT_SECRETS: several secrets, and none was made by this command. Name the step: --step promote makes the last one sign, --step remove keeps only the first',
    );
  return times[0] === newest ? 'remove' : 'promote';
}

/**
 * Returns the secrets after a step, the signing one first.
 * @throws ConfigError for a step that is not possible, or too early
 */
function rotate(secrets: readonly string[], step: RotationStep, now: Date): readonly string[] {
  if (step === 'add') return [...secrets, newSecret(now)];
  if (secrets.length === 1)
    throw new ConfigError('JWT_SECRETS: there is only one secret; begin with --step add');
  if (step === 'promote') return [secrets.at(-1)!, ...secrets.slice(0, -1)];
  const end = (createdAt(secrets[0]!)?.getTime() ?? 0) + OVERLAP_MS;
  if (now.getTime() < end)
    throw new ConfigError(
      `JWT_SECRETS: the old secret is needed until ${new Date(end).toISOString()} at least. If it has leaked, remove it from the setting by hand`,
    );
  return secrets.slice(0, 1);
}

function createdAt(secret: string): Date | null {
  const time = CREATED.exec(secret)?.[1];
  return time === undefined ? null : new Date(`${time}Z`);
}

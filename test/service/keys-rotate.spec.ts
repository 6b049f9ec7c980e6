import { JwtService } from '@nestjs/jwt';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../../src/kernel/clock';
import { AccessTokens } from '../../src/modules/auth/application/access-tokens';
import { execute } from '../../src/service/command-line';
import { newSecret } from '../../src/service/commands/keys-rotate';
import { core } from '../support/core';
import { aTerminal } from '../support/terminal';

const OLD = 'an old secret with more than 32 characters';
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keys-rotate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(env: NodeJS.ProcessEnv, ...args: string[]) {
  const terminal = aTerminal({ DATA_DIR: join(folder, 'none'), ...env });
  const code = await execute(() => core, ['keys', 'rotate', ...args], terminal);
  return { code, out: terminal.out, err: terminal.err };
}

/** Rotates JWT_SECRETS. @returns the new value of the setting */
async function rotated(secrets: string, ...args: string[]): Promise<string> {
  const file = join(folder, `value-${Math.random()}`);
  const { code, out, err } = await run({ JWT_SECRETS: secrets }, '--output', file, ...args);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const value = readFileSync(file, 'utf8').trimEnd();
  for (const secret of value.split(',')) expect(out).not.toContain(secret);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  return value;
}

const tokensOf = (value: string): AccessTokens => new AccessTokens(new JwtService({}), value.split(','), 900);

describe('keys rotate', () => {
  it('replaces the secret in three steps, in which replicas before and after a step accept each other', async () => {
    const added = await rotated(OLD);
    expect(added).toMatch(new RegExp(`^${OLD},\\S{60,}$`));
    const promoted = await rotated(added);
    expect(promoted).toBe(added.split(',').reverse().join(','));
    const now = new Date();
    for (const [before, after] of [
      [OLD, added],
      [added, promoted],
    ] as const) {
      const principal = { subjectId: 'usr_1', sessionId: 'ses_1' };
      for (const [signer, verifier] of [
        [before, after],
        [after, before],
      ] as const)
        expect(tokensOf(verifier).verify(tokensOf(signer).sign(principal, now), now)).not.toBeNull();
    }
  });

  it('says until when the old secret is needed, and does not remove it before', async () => {
    const promoted = `${newSecret(daysAgo(6))},${OLD}`;
    const early = await run({ JWT_SECRETS: promoted });
    expect(early).toMatchObject({ code: 1, out: '' });
    expect(early.err).toMatch(/^The secret cannot be rotated\. .* is needed until \d{4}-.*Z at least/);
    const { out } = await run({ JWT_SECRETS: `${OLD},${newSecret(daysAgo(0))}` }, '--stdout', '--json');
    const { step, old_needed_until: until } = JSON.parse(out) as { step: string; old_needed_until: string };
    expect(step).toBe('promote');
    expect(Math.abs(Date.parse(until) - daysAgo(-7).getTime())).toBeLessThan(60_000);
  });

  it('removes the old secret after seven days', async () => {
    const present = newSecret(daysAgo(8));
    expect(await rotated(`${present},${OLD}`)).toBe(present);
  });

  it('prints the value with --stdout, and nothing else there', async () => {
    const { code, out, err } = await run({ JWT_SECRETS: OLD }, '--stdout');
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^${OLD},\\S+\n$`));
    expect(err).toContain('Set JWT_SECRETS to the value that is printed');
  });

  it('names the file of the setting', async () => {
    const file = join(folder, 'jwt_secrets');
    writeFileSync(file, OLD);
    const { out } = await run({ JWT_SECRETS_FILE: file }, '--output', join(folder, 'next'));
    expect(out).toContain(`Replace the content of ${file} by the content of ${join(folder, 'next')}`);
    expect(readFileSync(file, 'utf8')).toBe(OLD);
  });

  it('does not overwrite a file', async () => {
    const file = join(folder, 'next');
    writeFileSync(file, 'precious');
    expect(await run({ JWT_SECRETS: OLD }, '--output', file)).toMatchObject({ code: 2, out: '' });
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });

  it('asks for the step when the secrets do not tell, and takes it', async () => {
    const other = 'another old secret with more than 32 characters';
    const { code, err } = await run({ JWT_SECRETS: `${OLD},${other}` });
    expect(code).toBe(1);
    expect(err).toContain('Name the step');
    expect(await rotated(`${OLD},${other}`, '--step', 'promote')).toBe(`${other},${OLD}`);
    expect(await rotated(`${OLD},${other}`, '--step', 'remove')).toBe(OLD);
  });

  it('replaces the generated secret in place, in two steps', async () => {
    const file = join(folder, 'jwt-secret');
    const env = { DATA_DIR: folder };
    expect((await run(env)).err).toContain('the first start creates it');
    writeFileSync(file, OLD);
    const { code, out } = await run(env, '--stdout');
    expect({ code, out }).toEqual({ code: 0, out: '' });
    const [present, ...others] = readFileSync(file, 'utf8').split(',');
    expect(others).toEqual([OLD]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(env)).err).toContain('is needed until');
    expect(present).not.toBe(OLD);
    const older = newSecret(daysAgo(8));
    writeFileSync(file, `${older},${OLD}`);
    expect((await run(env)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(older);
  });
});

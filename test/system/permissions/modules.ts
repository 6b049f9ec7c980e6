import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startTestService, TestService } from '../../support/service';
import { Permissions } from './request';

const testRoot = join(__dirname, '../..');
const files = readdirSync(testRoot, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.permissions.ts'))
  .toSorted();

/** The modules of callers' own logins, which have about a third of the rows. */
const SIGN_IN = /\/(auth|second-factors|password-resets)\.permissions\.ts$/;

export interface PermissionsOfModules {
  readonly signIn: readonly Permissions[];
  readonly others: readonly Permissions[];
  /** Both. */
  readonly modules: readonly Permissions[];
}

/** The rows of all modules: each has them in test/modules/<module>/<module>.permissions.ts. */
export async function permissionsOfModules(): Promise<PermissionsOfModules> {
  const read = async (file: string): Promise<Permissions> => {
    const { permissions } = (await import(join(testRoot, file))) as { permissions: Permissions };
    return permissions;
  };
  const signIn = await Promise.all(files.filter((file) => SIGN_IN.test(file)).map(read));
  const others = await Promise.all(files.filter((file) => !SIGN_IN.test(file)).map(read));
  return { signIn, others, modules: [...signIn, ...others] };
}

/** Starts a service with a mail server, which is never called, so that links for new passwords can be requested. */
export function startService(): Promise<TestService> {
  return startTestService({ SMTP_URL: 'smtp://localhost:1', MAIL_FROM: 'payments@countinghouse.test' });
}

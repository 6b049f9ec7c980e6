import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startTestService, TestService } from '../../support/service';
import { Permissions } from './request';

/** The rows of all modules: each has them in test/modules/<module>/<module>.permissions.ts. */
const testRoot = join(__dirname, '../..');
const files = readdirSync(testRoot, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.permissions.ts'))
  .toSorted();
const read = (file: string): Permissions =>
  jest.requireActual<{ permissions: Permissions }>(join(testRoot, file)).permissions;
export const modules: readonly Permissions[] = files.map(read);

/** The modules of callers' own logins, which have about a third of the rows. */
const SIGN_IN = /\/(auth|second-factors|password-resets)\.permissions\.ts$/;
export const signIn = files.filter((file) => SIGN_IN.test(file)).map(read);

/** Starts a service with a mail server, which is never called, so that links for new passwords can be requested. */
export function startService(): Promise<TestService> {
  return startTestService({ SMTP_URL: 'smtp://localhost:1', MAIL_FROM: 'payments@countinghouse.test' });
}

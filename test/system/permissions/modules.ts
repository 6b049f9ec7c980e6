import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startTestService, TestService } from '../../support/service';
import { Permissions } from './request';

const testRoot = join(__dirname, '../..');
const files = readdirSync(testRoot, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.permissions.ts'))
  .toSorted();

/**
 * The rows of all modules: each has them in test/modules/<module>/<module>.permissions.ts. Operations that only exist with
 * certain settings have a suite of their own.
 */
export function permissionsOfModules(): readonly Permissions[] {
  const read = (file: string) =>
    jest.requireActual<{ permissions: Permissions }>(join(testRoot, file)).permissions;
  return files.map(read).filter(({ settings }) => settings === undefined);
}

/** Starts a service with a mail server, which is never called, so that links for new passwords can be requested. */
export function startService(): Promise<TestService> {
  return startTestService({ SMTP_URL: 'smtp://localhost:1', MAIL_FROM: 'payments@countinghouse.test' });
}

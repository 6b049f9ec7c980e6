import fc from 'fast-check';
import { SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';
import { AccountModel } from './account.model';
import { ACCOUNTS, histories } from './commands';
import { DELAY_SECONDS, World } from './world';

const LENGTH = 25;
const ENV = { ACCESS_TOKEN_TTL: '86400', SETTLEMENT_DELAY_SECONDS: String(DELAY_SECONDS) };

/** A service of its own for each test, since a planted defect leaves inconsistent data behind. */
export const startModelledService = (): Promise<TestService> => startTestService(ENV);

/** Runs histories over HTTP until one differs from the model. @param elsewhere the replica for the admin's requests */
export function runHistories(service: TestService, count: number, shrink: boolean, elsewhere = service) {
  return fc.check(
    fc.asyncProperty(histories(LENGTH), async (commands) => {
      const world = await World.with(service, elsewhere, ACCOUNTS);
      const models = Array.from({ length: ACCOUNTS }, () => new AccountModel());
      await fc.asyncModelRun(() => ({ model: models, real: world }), commands);
      await world.compareEvents();
    }),
    { seed: SEED, numRuns: count, endOnFailure: !shrink },
  );
}

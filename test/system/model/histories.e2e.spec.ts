import fc from 'fast-check';
import { LedgerVerification } from '../../../src/modules/ledger';
import { contextOn } from '../../modules/ledger/context';
import { rounds, SEED } from '../../support/rounds';
import { runHistories, startModelledService } from './run-histories';

describe(`Random histories over HTTP, compared with a model after every step (seed ${SEED})`, () => {
  it(
    'agree',
    async () => {
      const service = await startModelledService();
      const result = await runHistories(service, rounds(25), true);
      const app = await contextOn(service);
      const { faults } = await app.get(LedgerVerification).run(() => undefined);
      await app.close();
      await service.stop();
      if (result.failed) throw new Error(fc.defaultReportMessage(result), { cause: result.errorInstance });
      expect(faults).toEqual([]);
    },
    60_000 + rounds(25) * 5_000,
  );
});

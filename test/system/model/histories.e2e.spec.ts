import fc from 'fast-check';
import { rounds, SEED } from '../../support/rounds';
import { runHistories, startModelledService } from './run-histories';

describe(`Random histories over HTTP, compared with a model after every step (seed ${SEED})`, () => {
  it(
    'agree',
    async () => {
      const service = await startModelledService();
      const result = await runHistories(service, rounds(25), true);
      await service.stop();
      if (result.failed) throw new Error(fc.defaultReportMessage(result), { cause: result.errorInstance });
    },
    60_000 + rounds(25) * 5_000,
  );
});

import { runCommand, say } from './command';
import { LedgerVerification } from './modules/ledger';

const SECOND_MS = 1000;

/** Walks the whole journal and holds it against the accounts, also while the service runs: `npm run ledger:verify`. */
void runCommand('The journal cannot be verified', async (app) => {
  const started = performance.now();
  let told = started;
  const { accounts, entries, faults } = await app.get(LedgerVerification).run((walked) => {
    if (performance.now() - told < SECOND_MS) return;
    told = performance.now();
    process.stderr.write(`${walked} entries ...\n`);
  });
  for (const fault of faults) say(`FAULT ${fault}`);
  const seconds = ((performance.now() - started) / SECOND_MS).toFixed(1);
  const verdict = faults.length === 0 ? 'everything adds up' : `${faults.length} accounts do not add up`;
  say(`${entries} entries of ${accounts} accounts in ${seconds} s: ${verdict}.`);
  return faults.length === 0 ? 0 : 1;
});

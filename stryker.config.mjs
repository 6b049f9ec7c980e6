/**
 * Mutation tests of the rules: `npm run test:mutation` changes the files below in one place at a time and reports the
 * changes that no unit test notices. Only rules that need no database are changed, because each change costs a run of the
 * suites that load it: about 10 minutes in all on one core. Tables of lifecycles, which have suites of their own,
 * and files that only declare types or load packages would say nothing new.
 */
const rules = [
  'src/kernel/{client-network,clock,domain-error,entity,extension-point,fair-queue,ids,lifecycle,metadata,money,pages,text}.ts',
  'src/modules/accounts/{domain/account,api-keys/api-key}.ts',
  'src/modules/auth/{domain/{credential,principal,session},second-factors/second-factor,password-resets/emailed-link}.ts',
  'src/modules/back-office/{approvals/approval,audit-log/{audit-entry,audit-log-verification,recent-reads}}.ts',
  'src/modules/events/webhooks/{disabled-endpoints,endpoint-secrets,endpoint-addresses,delivery-pace,webhook-endpoint,deliveries/webhook-delivery}.ts',
  'src/modules/ledger/{account-audit,daily-totals,entry,ordered-stream,adjustments/adjustment,statements/statement}.ts',
  'src/modules/payment-requests/{domain/{payment-references,payment-request,return-urls,splits},checkout/hosted-checkout,unapplied-payments/unapplied-payment}.ts',
  'src/modules/processors/stripe/stripe-amounts.ts',
  'src/modules/subscriptions/subscription.ts',
  'src/modules/transactions/{domain/transaction,application/transaction-processing.service}.ts',
  'src/modules/transfers/transfer.ts',
  'src/modules/users/{user,user.policy}.ts',
];

/** The place of the text among the arguments. It is for people: suites compare the code, and the text where it has figures. */
const errorTexts = { DomainError: 1, Error: 0 };
const ignorer = {
  shouldIgnore({ parent, listKey, key }) {
    const isText =
      parent?.type === 'NewExpression' && listKey === 'arguments' && errorTexts[parent.callee.name] === key;
    return isText ? 'The text of an error.' : undefined;
  },
};

export const strykerPlugins = [{ kind: 'Ignore', name: 'error-texts', value: ignorer }];

/** @type {import('@stryker-mutator/core').PartialStrykerOptions} */
export default {
  mutate: rules,
  testRunner: 'jest',
  jest: { configFile: 'jest.mutation.config.mjs', enableFindRelatedTests: false },
  plugins: ['@stryker-mutator/jest-runner', './stryker.config.mjs'],
  ignorers: ['error-texts'],
  coverageAnalysis: 'perTest',
  // What runs once, when a file is loaded, would need all suites for each change.
  ignoreStatic: true,
  // Repeats only what has changed since the last run.
  incremental: true,
  incrementalFile: 'artifacts/mutation/incremental.json',
  // After a mutant that never ends, the next run first loads all packages, which takes long on a busy machine.
  timeoutMS: 30_000,
  concurrency: 2,
  // A whole run reaches 98. Most of what is left does the same, and one rule declares its table for SQL.
  thresholds: { high: 98, low: 95, break: 95 },
  tempDirName: 'artifacts/mutation/sandbox',
  ignorePatterns: ['artifacts', 'bench', 'client', 'console', 'deploy', 'dist', 'docs', 'examples'],
  reporters: ['clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: 'artifacts/mutation/mutation.html' },
  jsonReporter: { fileName: 'artifacts/mutation/mutation.json' },
};

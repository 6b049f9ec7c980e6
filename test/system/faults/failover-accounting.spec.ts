import path from 'node:path';

/** The accounting of deploy/ha/trial.mjs, which runs outside of the tests because it needs packages of the system. */
interface Accounting {
  readonly open: Set<string>;
  record(key: string, status: number | null, text: string): void;
  judge(rows: readonly { id: string; reference: string }[]): Record<string, number>;
}

const none = { lost: 0, doubled: 0, invented: 0, changed: 0, unexpected: 0 };
const body = (id: string): string => JSON.stringify({ id });
const row = (id: string, reference: string) => ({ id, reference });

let accounting: Accounting;

beforeEach(() => {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const module = require(path.resolve('deploy/ha/accounting.mjs')) as { Accounting: new () => Accounting };
  accounting = new module.Accounting();
  accounting.open.add('a').add('b').add('c');
  accounting.record('a', 503, '');
  accounting.record('a', 201, body('1'));
  accounting.record('b', 201, body('2'));
  accounting.record('c', null, '');
});

it('accepts what was acknowledged once, and what is open with or without a row', () => {
  expect(accounting.judge([row('1', 'a'), row('2', 'b')])).toEqual(none);
  expect(accounting.judge([row('1', 'a'), row('2', 'b'), row('3', 'c')])).toEqual(none);
});

it('reports a lost, an exchanged, a doubled and an invented row', () => {
  expect(accounting.judge([row('1', 'a')])).toEqual({ ...none, lost: 1 });
  expect(accounting.judge([row('1', 'a'), row('9', 'b')])).toEqual({ ...none, lost: 1 });
  expect(accounting.judge([row('1', 'a'), row('2', 'b'), row('9', 'b')])).toEqual({ ...none, doubled: 1 });
  expect(accounting.judge([row('1', 'a'), row('2', 'b'), row('9', 'x')])).toEqual({ ...none, invented: 1 });
});

it('reports another response to a repeat, and a response that no failover may cause', () => {
  accounting.record('a', 201, body('1') + ' ');
  accounting.record('b', 500, 'internal_error');
  expect(accounting.judge([row('1', 'a'), row('2', 'b')])).toEqual({ ...none, changed: 1, unexpected: 1 });
});

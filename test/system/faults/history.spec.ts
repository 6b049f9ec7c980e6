import { allOnce, Attempt, History, Row } from './support/history';

/** Each count of the fault tests detects the defect that it is for. */
const KEYS = ['a', 'b', 'c'];

function attempt(key: string, status: number | null = 201, id = `txn_${key}`): Attempt {
  return { key, status, text: status === 201 ? JSON.stringify({ id }) : '', sentAtMs: 0, endedAtMs: 1 };
}

const row = (key: string, id = `txn_${key}`): Row => ({ id, reference: key });

function judged(attempts: Attempt[], rows: Row[]): ReturnType<History['judge']> {
  const history = new History();
  attempts.forEach(history.add);
  return history.judge(rows);
}

const acknowledged = KEYS.map((key) => attempt(key));
const stored = KEYS.map((key) => row(key));
const once = allOnce(3);

it('reports no defect when every creation is stored once, also after repeats', () => {
  const repeated = [
    attempt('a', null),
    attempt('b', 503),
    attempt('c', 409),
    ...acknowledged,
    ...acknowledged,
  ];
  expect(judged(repeated, stored)).toEqual(once);
});

it('counts a lost row', () => {
  expect(judged(acknowledged, stored.slice(1))).toEqual({ ...once, rows: 2, lost: 1 });
});

it('counts a row that differs from the acknowledged one as lost', () => {
  expect(judged(acknowledged, [row('a', 'txn_other'), ...stored.slice(1)])).toEqual({ ...once, lost: 1 });
});

it('counts a duplicate row', () => {
  expect(judged(acknowledged, [...stored, row('a', 'txn_again')])).toEqual({
    ...once,
    rows: 4,
    duplicate: 1,
  });
});

it('counts rows that were not requested or whose request was rejected', () => {
  const verdict = judged([...acknowledged, attempt('d', 400)], [...stored, row('d'), row('e')]);
  expect(verdict).toEqual({ ...once, creates: 4, rows: 5, phantom: 2 });
});

it('counts repeats with a different response', () => {
  const verdict = judged([...acknowledged, attempt('a', 201, 'txn_other')], stored);
  expect(verdict).toEqual({ ...once, changed: 1, lost: 1 });
});

it('counts creations without a response', () => {
  expect(judged([...acknowledged.slice(1), attempt('a', null)], stored)).toEqual({
    ...once,
    withoutResponse: 1,
  });
});

it('counts responses of 500', () => {
  expect(judged([...acknowledged, attempt('a', 500)], stored)).toEqual({ ...once, failed: 1 });
});

it('does not count an unacknowledged creation as lost', () => {
  expect(judged([...acknowledged.slice(1), attempt('a', null)], stored.slice(1))).toEqual({
    ...once,
    rows: 2,
  });
});

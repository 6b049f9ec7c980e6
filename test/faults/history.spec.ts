import { allOnce, Attempt, History, Row } from './support/history';

/** The counts that the fault checks rest on, each shown a history with the defect that it has to find. */
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

it('finds nothing where every create happened once, also when it was repeated', () => {
  const repeated = [
    attempt('a', null),
    attempt('b', 503),
    attempt('c', 409),
    ...acknowledged,
    ...acknowledged,
  ];
  expect(judged(repeated, stored)).toEqual(once);
});

it('finds a row that is lost', () => {
  expect(judged(acknowledged, stored.slice(1))).toEqual({ ...once, rows: 2, lost: 1 });
});

it('finds that a row is another one than was acknowledged', () => {
  expect(judged(acknowledged, [row('a', 'txn_other'), ...stored.slice(1)])).toEqual({ ...once, lost: 1 });
});

it('finds a row that is there twice', () => {
  expect(judged(acknowledged, [...stored, row('a', 'txn_again')])).toEqual({
    ...once,
    rows: 4,
    duplicate: 1,
  });
});

it('finds a row that nobody asked for, and one that was refused', () => {
  const verdict = judged([...acknowledged, attempt('d', 400)], [...stored, row('d'), row('e')]);
  expect(verdict).toEqual({ ...once, creates: 4, rows: 5, phantom: 2 });
});

it('finds a repeat with another answer', () => {
  const verdict = judged([...acknowledged, attempt('a', 201, 'txn_other')], stored);
  expect(verdict).toEqual({ ...once, changed: 1, lost: 1 });
});

it('finds a create that happened and was not answered', () => {
  expect(judged([...acknowledged.slice(1), attempt('a', null)], stored)).toEqual({ ...once, unanswered: 1 });
});

it('finds an answer that tells of a defect', () => {
  expect(judged([...acknowledged, attempt('a', 500)], stored)).toEqual({ ...once, failed: 1 });
});

it('counts a create that never happened as missing, not as lost, when nobody was told of it', () => {
  expect(judged([...acknowledged.slice(1), attempt('a', null)], stored.slice(1))).toEqual({
    ...once,
    rows: 2,
  });
});

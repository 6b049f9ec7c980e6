const FUNCTIONS: readonly FakeableAPI[] = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
];

/** Replaces these functions, and no others, with fakes whose time the test advances. */
export function fakeTimers(...faked: FakeableAPI[]): void {
  jest.useFakeTimers({ doNotFake: FUNCTIONS.filter((name) => !faked.includes(name)) });
}

const { default: Sequencer } = require('@jest/test-sequencer');

/** Suites that take longest, most of which are short files: they run tests that others contain. */
const LONGEST = [
  'permissions/permissions',
  'system/partitioned',
  'faults/soak',
  'faults/hostile-receivers',
  'faults/service-killed',
  'faults/unread-responses',
  'service/processes',
  'console/console-',
];

/**
 * Starts the longest suites first, so that none of them runs alone at the end. Where Jest has no durations of an earlier
 * run, it starts the largest files first.
 */
module.exports = class extends Sequencer {
  sort(tests) {
    const isLong = ({ path }) => LONGEST.some((name) => path.replaceAll('\\', '/').includes(name));
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
};

import { isRejectedCommit, isUnavailable } from '../../../src/platform/database/failures';

describe('Failures of the database', () => {
  const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

  it.each([
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'could not receive data from server: Connection reset by peer',
    'no connection to the server',
    'connection not open',
    'SSL connection has been closed unexpectedly',
    'failure on connection marked as essential: 10.0.0.2:5432',
    'could not commit transaction for shard 102008 on any active node',
  ])('are a worker of Citus that is lost, which may have committed: %s', (message) => {
    const error = failure('XX000', message);
    expect([isUnavailable(error), isRejectedCommit(error)]).toEqual([true, false]);
  });

  it('are not a lost worker when PostgreSQL reports any other internal error', () => {
    expect(isUnavailable(failure('XX000', 'cache lookup failed for type 16384'))).toBe(false);
  });
});

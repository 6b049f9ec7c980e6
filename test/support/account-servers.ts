import { AccountServers } from '../../src/platform/database/citus/account-servers';

/** Accounts that are spread over two servers, as if Citus did it. All connections are to the one that is there. */
export function twoServers(
  serverOf: AccountServers['serverOf'],
  members: Partial<AccountServers> = {},
): AccountServers {
  return {
    count: 2,
    isDistributed: true,
    serverOf,
    connect: () => null,
    runsOnWorkers: () => true,
    oldestUnfinishedCommit: async () => Infinity,
    ...members,
  };
}

import { AccountServers } from '../../src/platform/database/citus/account-servers';
import { allTables } from '../../src/platform/database/citus/shard';

/** Accounts that are spread over two servers, as if Citus did it. All connections are to the one that is there. */
export function twoServers(
  serverOf: AccountServers['serverOf'],
  members: Partial<AccountServers> = {},
): AccountServers {
  const all = allTables(() => true);
  return {
    count: 2,
    isDistributed: true,
    serverOf,
    serverOfId: () => 0,
    connect: () => null,
    shardOf: () => all,
    readByServer: async () => null,
    sweep: async () => null,
    hold: async () => true,
    noticeMove: () => undefined,
    oldestUnfinishedCommit: async () => Infinity,
    ...members,
  };
}

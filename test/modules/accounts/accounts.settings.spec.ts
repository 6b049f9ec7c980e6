import { accountsSettings } from '../../../src/modules/accounts/accounts.settings';

describe('CLOSE_SUSPENDED_ACCOUNTS', () => {
  const read = (CLOSE_SUSPENDED_ACCOUNTS: boolean | undefined, production: boolean): boolean =>
    accountsSettings.read({ CLOSE_SUSPENDED_ACCOUNTS }, { production }).ownersCloseSuspended;

  it('lets owners close suspended accounts unless the service runs in production', () => {
    expect([read(undefined, true), read(undefined, false)]).toEqual([false, true]);
    expect([read(true, true), read(false, false)]).toEqual([true, false]);
  });
});

import { bool } from 'envalid';
import { defineSettings, type SettingsOf } from '../../platform/config/settings';

export const accountsSettings = defineSettings({
  variables: {
    CLOSE_SUSPENDED_ACCOUNTS: bool({
      default: undefined,
      desc: 'Whether the owner of a suspended account may close it. Admins may. By default `false` in production and `true` elsewhere.',
    }),
  },
  read: (values, { production }) => ({
    ownersCloseSuspended: values.CLOSE_SUSPENDED_ACCOUNTS ?? !production,
  }),
});

export type AccountsSettings = SettingsOf<typeof accountsSettings>;

import { bool } from 'envalid';
import { defineSettings, SettingsOf } from '../../platform/config/settings';

export const approvalsSettings = defineSettings({
  variables: {
    REQUIRE_APPROVALS: bool({
      default: undefined,
      desc: 'Whether an admin needs the approval of a second one to make a user an admin and to close an account with money in it. By default `true` in production and `false` elsewhere.',
    }),
  },
  read: (values, { production }) => ({ required: values.REQUIRE_APPROVALS ?? production }),
});

export type ApprovalsSettings = SettingsOf<typeof approvalsSettings>;

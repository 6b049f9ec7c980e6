import { bool } from 'envalid';
import { defineSettings, integer, type SettingsOf } from '../../../platform/config/settings';

export const approvalsSettings = defineSettings({
  variables: {
    REQUIRE_APPROVALS: bool({
      default: undefined,
      desc: 'Whether an admin needs the approval of a second one to make a user an admin, to close an account with money in it, and to move more than `ADJUSTMENT_APPROVAL_LIMIT` with transactions. By default `true` in production and `false` elsewhere.',
    }),
    ADJUSTMENT_APPROVAL_LIMIT: integer(
      0,
      Number.MAX_SAFE_INTEGER,
    )({
      default: undefined,
      desc: "The greatest sum, in minor units of the account's currency, that an admin moves alone in one account and one day (UTC) with adjustments and, where approvals are required, with transactions; above it, a second admin has to approve. By default 0 in production (always) and the greatest amount elsewhere (never).",
    }),
  },
  read: (values, { production }) => ({
    required: values.REQUIRE_APPROVALS ?? production,
    limit: values.ADJUSTMENT_APPROVAL_LIMIT ?? (production ? 0 : Number.MAX_SAFE_INTEGER),
  }),
});

export type ApprovalsSettings = SettingsOf<typeof approvalsSettings>;

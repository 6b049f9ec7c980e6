import { defineSettings, SettingsOf } from '../../platform/config/settings';
import { integer } from '../../platform/config/validators';

export const adjustmentsSettings = defineSettings({
  variables: {
    ADJUSTMENT_APPROVAL_LIMIT: integer(
      0,
      Number.MAX_SAFE_INTEGER,
    )({
      default: undefined,
      desc: 'The greatest amount, in minor units of any currency, by which an admin adjusts a balance alone; above it, a second admin has to approve. By default 0 in production (always) and the greatest amount elsewhere (never).',
    }),
  },
  read: (values, { production }) => ({
    approvalLimit: values.ADJUSTMENT_APPROVAL_LIMIT ?? (production ? 0 : Number.MAX_SAFE_INTEGER),
  }),
});

export type AdjustmentsSettings = SettingsOf<typeof adjustmentsSettings>;

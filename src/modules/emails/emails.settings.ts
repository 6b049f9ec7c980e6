import { defineSettings, integer, type SettingsOf } from '../../platform/config/settings';

const quota = integer(0, 1_000_000);

export const emailsSettings = defineSettings({
  variables: {
    EMAILS_PER_ACCOUNT_AND_RECIPIENT: quota({
      default: undefined,
      desc: 'Emails about payments of one account to one recipient within 24 hours; further ones wait. 0 disables the limit. By default 20 in production and 10,000 elsewhere.',
    }),
    EMAILS_PER_RECIPIENT: quota({
      default: undefined,
      desc: 'Emails about payments to one recipient, of all accounts together, within 24 hours; further ones wait. 0 disables the limit. By default 200 in production and 10,000 elsewhere.',
    }),
    EMAILS_PER_ACCOUNT: quota({
      default: undefined,
      desc: 'Emails about payments of one account within 24 hours; further ones wait. 0 disables the limit. By default 1,000 in production and 10,000 elsewhere.',
    }),
  },
  read: (values, { production }) => ({
    perAccountAndRecipient: values.EMAILS_PER_ACCOUNT_AND_RECIPIENT ?? (production ? 20 : 10_000),
    perRecipient: values.EMAILS_PER_RECIPIENT ?? (production ? 200 : 10_000),
    perAccount: values.EMAILS_PER_ACCOUNT ?? (production ? 1000 : 10_000),
  }),
});

export type EmailsSettings = SettingsOf<typeof emailsSettings>;

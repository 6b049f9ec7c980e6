import { defineSettings, integer, type SettingsOf } from '../../../platform/config/settings';
import { pageAddress } from '../../../platform/pages/pages.settings';

export const consoleSettings = defineSettings({
  variables: {
    CONSOLE_IDLE_MINUTES: integer(
      1,
      1440,
    )({
      default: 15,
      desc: 'After this time without activity, in minutes, a session of the console at `/console` or of the dashboard at `/dashboard` ends.',
    }),
    CONSOLE_URL: pageAddress({
      default: '',
      desc: 'The public address of `/console`, without that path, for single sign-on. By default `PAYMENT_PAGE_URL`.',
    }),
  },
  read: ({ CONSOLE_IDLE_MINUTES, CONSOLE_URL }) => ({
    idleSeconds: CONSOLE_IDLE_MINUTES * 60,
    /** null for the address of the other pages. */
    address: CONSOLE_URL.replace(/\/+$/, '') || null,
  }),
});

export type ConsoleSettings = SettingsOf<typeof consoleSettings>;

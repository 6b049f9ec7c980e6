import type { SettingsOf } from '../../../platform/config/settings';
import { defineSettings, integer } from '../../../platform/config/settings';

export const consoleSettings = defineSettings({
  variables: {
    CONSOLE_IDLE_MINUTES: integer(
      1,
      1440,
    )({
      default: 15,
      desc: 'After this time without activity, in minutes, a session of the console at `/console` or of the dashboard at `/dashboard` ends.',
    }),
  },
  read: ({ CONSOLE_IDLE_MINUTES }) => ({ idleSeconds: CONSOLE_IDLE_MINUTES * 60 }),
});

export type ConsoleSettings = SettingsOf<typeof consoleSettings>;

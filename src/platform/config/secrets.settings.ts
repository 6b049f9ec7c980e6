import type { SettingsOf } from './settings';
import { defineSettings } from './settings';
import { secret, secretList } from './validators';

const MIN_SECRET_CHARACTERS = 32;

/** The secrets that sign access tokens, key the hashes of idempotent requests and encrypt the secrets of second factors. */
export const secretsSettings = defineSettings({
  variables: {
    JWT_SECRETS: secret(
      secretList(
        ({ length }) => length >= MIN_SECRET_CHARACTERS,
        `must be secrets of at least ${MIN_SECRET_CHARACTERS} characters, separated by commas`,
      )({
        default: [],
        desc: 'Comma-separated secrets of at least 32 characters: the first one signs, all of them verify. Required with `DATABASE_URL`; without it, the service generates one in `DATA_DIR`.',
      }),
    ),
  },
  read: ({ JWT_SECRETS }): readonly string[] => JWT_SECRETS,
});

export type Secrets = SettingsOf<typeof secretsSettings>;

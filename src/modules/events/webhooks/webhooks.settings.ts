import { bool } from 'envalid';
import { defineSettings, type SettingsOf } from '../../../platform/config/settings';

export const webhooksSettings = defineSettings({
  variables: {
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: bool({
      default: undefined,
      desc: 'Whether webhooks may also be sent to loopback and private addresses, as during development; link-local addresses are always refused. By default `false` in production and `true` elsewhere, where the service listens on `localhost` and plain HTTP is allowed for webhooks.',
    }),
  },
  read: ({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: allowed }, { production }) => ({
    allowPrivateAddresses: allowed ?? !production,
    allowHttp: !production,
  }),
});

export type WebhooksSettings = SettingsOf<typeof webhooksSettings>;

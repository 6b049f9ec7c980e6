import { str } from 'envalid';
import { assertSetTogether, defineSettings, secret } from '../../platform/config/settings';

export const usersSettings = defineSettings({
  variables: {
    ADMIN_EMAIL: str({
      default: '',
      desc: 'With `ADMIN_PASSWORD`: the email of an admin that exists after the start.',
    }),
    ADMIN_PASSWORD: secret(
      str({ default: '', desc: 'The password of that admin when the service creates it.' }),
    ),
  },
  read: (values) => {
    assertSetTogether(values, 'ADMIN_EMAIL', 'ADMIN_PASSWORD');
    const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = values;
    return { firstAdmin: email ? { email, password } : null };
  },
});

import { runCommand, say } from './command';
import { Users } from './modules/users';
import { ConfigError } from './platform/config/config';

/** Makes sure that an admin exists, also while the service runs: `npm run admin:create`. */
void runCommand('The admin cannot be created', async (app, { admin }) => {
  if (admin === null) {
    throw new ConfigError('ADMIN_EMAIL, ADMIN_PASSWORD: the admin to create must be given by both');
  }
  const created = await app.get(Users).ensureAdmin(admin.email, admin.password);
  say(
    created
      ? `The admin ${admin.email} was created.`
      : `Nothing was changed: a user with the email ${admin.email} exists already.`,
  );
  return 0;
});

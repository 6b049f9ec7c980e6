/**
 * The environment of the watchdog and of the PostgreSQL programs, limited to the variables that they need. The
 * environment of the service contains secrets, and variables such as NODE_OPTIONS, PGPORT, PGDATA, PGOPTIONS and
 * LD_LIBRARY_PATH would change the behavior of these programs.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'USERNAME', 'USERPROFILE'];
  const environment: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' };
  for (const name of kept) {
    if (process.env[name] !== undefined) environment[name] = process.env[name];
  }
  return environment;
}

/**
 * The environment of the watchdog and of the PostgreSQL programs. Only what they need: the service's own
 * holds secrets, NODE_OPTIONS would change the watchdog, and PGPORT, PGDATA, PGOPTIONS or LD_LIBRARY_PATH
 * the server.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'USERNAME', 'USERPROFILE'];
  const environment: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC' };
  for (const name of kept) {
    if (process.env[name] !== undefined) environment[name] = process.env[name];
  }
  return environment;
}

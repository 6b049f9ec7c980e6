import { hasCluster } from '../embedded-postgres/data-folder';
import { startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres';
import { embeddedPostgresSettings } from '../embedded-postgres/embedded-postgres.settings';
import { runningPostgresUrl } from '../embedded-postgres/running-postgres';
import { generatedSecrets, readGeneratedSecrets, secretsSettings } from '../platform/config/secrets.settings';
import type { Settings } from '../platform/config/settings';
import { databaseSettings } from '../platform/database/database.settings';

/** A PostgreSQL for one process. */
export interface ServiceDatabase {
  readonly url: string;
  /** The settings, with the secret that is generated for an embedded database. */
  readonly settings: Settings;
  /** Stops an embedded PostgreSQL that was started for this process. */
  stop(): Promise<void>;
}

type Print = (line: string) => void;

/** The PostgreSQL of DATABASE_URL, or else the embedded one, which is started. */
export async function startDatabase(settings: Settings, print: Print): Promise<ServiceDatabase> {
  const { url } = settings.of(databaseSettings);
  if (url !== null) return { url, settings, stop: async () => undefined };
  const { dataDir } = settings.of(embeddedPostgresSettings);
  const postgres = await startEmbeddedPostgres({ dataDir, print });
  const stop = (): Promise<void> => postgres.stop();
  if (settings.of(secretsSettings).length > 0) return { url: postgres.url, settings, stop };
  return { url: postgres.url, settings: settings.with(secretsSettings, generatedSecrets(dataDir)), stop };
}

/** Whether the settings name a server, or an embedded database that exists. */
export function hasDatabase(settings: Settings): boolean {
  return (
    settings.of(databaseSettings).url !== null || hasCluster(settings.of(embeddedPostgresSettings).dataDir)
  );
}

/** Like `startDatabase`, but uses an embedded PostgreSQL that another process runs. */
export async function attachDatabase(settings: Settings, print: Print): Promise<ServiceDatabase> {
  if (settings.of(databaseSettings).url !== null) return startDatabase(settings, print);
  const { dataDir } = settings.of(embeddedPostgresSettings);
  const url = await runningPostgresUrl(dataDir);
  if (url === null) return startDatabase(settings, print);
  const secrets = settings.of(secretsSettings).length > 0 ? null : readGeneratedSecrets(dataDir);
  const complete = secrets === null ? settings : settings.with(secretsSettings, secrets);
  return { url, settings: complete, stop: async () => undefined };
}

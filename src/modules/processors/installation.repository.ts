import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';

/** The mode in which a database is used: test money and real money never share one. */
export type InstallationMode = 'test' | 'live';

@Injectable()
export class InstallationRepository {
  constructor(private readonly database: Database) {}

  /** Records the mode at the first start. @returns the recorded mode */
  async claimMode(mode: InstallationMode): Promise<InstallationMode> {
    await this.database.query('INSERT INTO installation (mode) VALUES ($1) ON CONFLICT DO NOTHING', [mode]);
    const [row] = await this.database.query<{ mode: InstallationMode }>('SELECT mode FROM installation', []);
    return row!.mode;
  }
}

type Query = <Row extends object>(sql: string) => Promise<readonly Row[]>;

/** The mode of a database, without claiming it; null before the first start of a service on it. */
export async function recordedMode(query: Query): Promise<InstallationMode | null> {
  const [table] = await query<{ name: string | null }>("SELECT to_regclass('installation')::text AS name");
  if (table!.name === null) return null;
  const [row] = await query<{ mode: InstallationMode }>('SELECT mode FROM installation');
  return row?.mode ?? null;
}

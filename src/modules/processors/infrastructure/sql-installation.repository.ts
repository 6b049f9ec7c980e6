import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { InstallationMode, InstallationRepository } from '../domain/installation.repository';

@Injectable()
export class SqlInstallationRepository extends InstallationRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async claimMode(mode: InstallationMode): Promise<InstallationMode> {
    await this.database.query('INSERT INTO installation (mode) VALUES ($1) ON CONFLICT DO NOTHING', [mode]);
    const [row] = await this.database.query<{ mode: InstallationMode }>('SELECT mode FROM installation', []);
    return row!.mode;
  }
}

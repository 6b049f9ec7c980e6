import { DataSource } from 'typeorm';
import { WebhookEndpointsOfApiKeys1796025000000 as Migration } from '../../../../migrations/1796025000000-webhook-endpoints-of-api-keys';
import { MigrationDatabase, startMigrationDatabase } from '../../../support/migration-database';

const EXPIRY = new Date('2027-01-31T09:30:00.000Z');

describe('The migration that records the API keys of webhook endpoints', () => {
  let database: MigrationDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await startMigrationDatabase();
    ({ dataSource } = database);
  });
  afterAll(() => database.stop());

  const addKey = (id: string, expiresAt: Date | null, revokedAt: Date | null): Promise<unknown> =>
    dataSource.query(
      `INSERT INTO api_keys (id, hash, account_id, role, name, last_four, scopes, allowed_addresses, created_at, expires_at, revoked_at)
       VALUES ($1, $1, 'acc_1', 'user', 'Web shop', 'x7Qa', '{webhooks}', '{}', now(), $2, $3)`,
      [id, expiresAt, revokedAt],
    );
  const addEndpoint = (id: string): Promise<unknown> =>
    dataSource.query(
      `INSERT INTO webhook_endpoints (account_id, id, url, secrets, failures, created_at, updated_at)
       VALUES ('acc_1', $1, 'https://example.com', '[]', 0, now(), now())`,
      [id],
    );
  let sequence = 0;
  const addEntry = (action: string, actorId: string, objectId: string): Promise<unknown> =>
    dataSource.query(
      `INSERT INTO audit_log (sequence, id, created_at, actor_id, action, object_id, account_id, outcome, details, hash)
       VALUES ($1, $2, now(), $3, $4, $5, 'acc_1', 'succeeded', '{}', '')`,
      [(sequence += 1), `aud_${sequence}`, actorId, `webhook_endpoint.${action}`, objectId],
    );

  it('finds those of keys that work and which nobody else has changed, and can be reverted', async () => {
    const queryRunner = dataSource.createQueryRunner();
    await new Migration().down(queryRunner);
    await addKey('key_live', EXPIRY, null);
    await addKey('key_ever', null, null);
    await addKey('key_revoked', null, new Date());
    const creators = {
      whk_1: 'key_live',
      whk_2: 'key_ever',
      whk_3: 'key_revoked',
      whk_4: 'usr_1',
      whk_5: 'key_live',
      whk_6: 'key_live',
    };
    for (const [id, creator] of Object.entries(creators)) {
      await addEndpoint(id);
      await addEntry('create', creator, id);
    }
    await addEntry('update', 'usr_1', 'whk_5');
    await addEntry('update', 'key_live', 'whk_6');
    const migrated = async (): Promise<void> => {
      await new Migration().up(queryRunner);
      const rows = await dataSource.query(
        'SELECT id, api_key_id, api_key_expires_at FROM webhook_endpoints ORDER BY id',
      );
      expect(rows.map(Object.values)).toEqual([
        ['whk_1', 'key_live', EXPIRY],
        ['whk_2', 'key_ever', null],
        ['whk_3', null, null],
        ['whk_4', null, null],
        ['whk_5', null, null],
        ['whk_6', 'key_live', EXPIRY],
      ]);
    };
    await migrated();
    await dataSource.query(
      `UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'api_key_ended' WHERE id = 'whk_4'`,
    );
    await new Migration().down(queryRunner);
    const [row] = await dataSource.query(`SELECT disabled_reason FROM webhook_endpoints WHERE id = 'whk_4'`);
    expect(row).toEqual({ disabled_reason: 'requested' });
    await migrated();
    await queryRunner.release();
  });
});

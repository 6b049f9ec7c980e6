import { EntitySchema } from 'typeorm';
import { eventCount } from '../../../../platform/database/table';
import { ApiKey } from '../domain/api-key';

export const apiKeySchema = new EntitySchema<ApiKey>({
  name: 'ApiKey',
  target: ApiKey,
  tableName: 'api_keys',
  columns: {
    id: { type: 'text', primary: true, update: false },
    hash: { type: 'text', update: false },
    accountId: { name: 'account_id', type: 'text', nullable: true, update: false },
    role: { type: 'text', update: false },
    name: { type: 'text', update: false },
    lastFour: { name: 'last_four', type: 'text', update: false },
    scopes: { type: 'text', array: true, update: false },
    allowedAddresses: { name: 'allowed_addresses', type: 'text', array: true, update: false },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    // Written by a statement of its own; this keeps a revocation from overwriting it.
    lastUsedAt: { name: 'last_used_at', type: 'timestamptz', precision: 3, nullable: true, update: false },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true, update: false },
    revokedAt: { name: 'revoked_at', type: 'timestamptz', precision: 3, nullable: true },
    eventCount,
  },
  checks: [{ expression: "role IN ('user', 'platform') AND (role = 'platform') = (account_id IS NULL)" }],
  indices: [
    { name: 'api_keys_hash', columns: ['hash'], unique: true },
    // An expression, which TypeORM cannot declare: the time of expiry, or infinity.
    { name: 'api_keys_account_expiry', columns: ['accountId', 'expiresAt'], synchronize: false },
  ],
});

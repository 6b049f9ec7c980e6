import { EntitySchema } from 'typeorm';
import { apiVersion } from '../../../platform/database/table';
import { RefreshToken, Session } from '../domain/session';

export const sessionSchema = new EntitySchema<Session>({
  name: 'Session',
  target: Session,
  tableName: 'sessions',
  columns: {
    id: { type: 'text', primary: true },
    userId: { name: 'user_id', type: 'text', nullable: true, update: false },
    openedAccountId: { name: 'opened_account_id', type: 'text', nullable: true, update: false },
    accountId: { name: 'account_id', type: 'text', nullable: true },
    membershipRole: { name: 'membership_role', type: 'text', nullable: true },
    role: { type: 'text' },
    secondFactor: { name: 'second_factor', type: 'boolean', default: false },
    isConsole: { name: 'console', type: 'boolean', default: false, update: false },
    provider: { type: 'text', nullable: true, update: false },
    ip: { type: 'text', update: false },
    network: { type: 'text', nullable: true, update: false },
    userAgent: { name: 'user_agent', type: 'text', nullable: true, update: false },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    // Written by its own statement; this keeps a concurrent refresh from overwriting it.
    authenticatedAt: {
      name: 'authenticated_at',
      type: 'timestamptz',
      precision: 3,
      nullable: true,
      update: false,
    },
    lastUsedAt: { name: 'last_used_at', type: 'timestamptz', precision: 3 },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3 },
    apiVersion: { ...apiVersion, nullable: true },
    endedAt: { name: 'ended_at', type: 'timestamptz', precision: 3, nullable: true },
  },
  indices: [
    { name: 'sessions_user_network', columns: ['userId', 'network'] },
    { name: 'sessions_opened_account_network', columns: ['openedAccountId', 'network'] },
    { name: 'sessions_user_unended', columns: ['userId', 'id'], where: 'ended_at IS NULL' },
    {
      name: 'sessions_opened_account_unended',
      columns: ['openedAccountId', 'id'],
      where: 'ended_at IS NULL',
    },
    { name: 'sessions_account_unended', columns: ['accountId', 'id'], where: 'ended_at IS NULL' },
    { name: 'sessions_expiry', columns: ['expiresAt'] },
    { name: 'sessions_expiry_unended', columns: ['expiresAt'], where: 'ended_at IS NULL' },
  ],
});

export const refreshTokenSchema = new EntitySchema<RefreshToken>({
  name: 'RefreshToken',
  target: RefreshToken,
  tableName: 'refresh_tokens',
  columns: {
    hash: { type: 'text', primary: true },
    sessionId: { name: 'session_id', type: 'text', update: false },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    usedAt: { name: 'used_at', type: 'timestamptz', precision: 3, nullable: true },
  },
  indices: [{ name: 'refresh_tokens_session', columns: ['sessionId'] }],
});

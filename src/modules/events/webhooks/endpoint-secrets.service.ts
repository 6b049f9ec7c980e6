import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { SecretCipher } from '../../../platform/config/secret-cipher';
import { Database } from '../../../platform/database/database';
import type { PeriodicTask } from '../../../platform/jobs/periodic-tasks';
import { AccountStore } from '../../accounts';
import { assertAdmin, isOperator, Principal, RecentLogin } from '../../auth';
import { assertMayUse } from './endpoint-rules.service';
import { newSecret } from './endpoint-secrets';
import { describeAction, WebhookEndpoint } from './webhook-endpoint';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository';
import { IssuedSecret, WebhookEndpoints } from './webhook-endpoints.service';

/** Replaces the secrets of endpoints. */
@Injectable()
export class EndpointSecrets {
  constructor(
    private readonly endpoints: WebhookEndpoints,
    private readonly repository: WebhookEndpointsRepository,
    private readonly accounts: AccountStore,
    private readonly cipher: SecretCipher,
    private readonly audit: AuditTrail,
    private readonly recentLogin: RecentLogin,
  ) {}

  /** @throws DomainError `not_found`; `forbidden` for operators; `conflict` after too many rotations */
  async rotate(caller: Principal, id: string): Promise<IssuedSecret> {
    const secret = newSecret();
    const change = { items: this.endpoints, id, action: null };
    const endpoint = await this.accounts.change(caller, change, (tx, _account, found, now) => {
      if (isOperator(caller)) throw new DomainError('forbidden', 'Only the account can rotate its secret.');
      assertMayUse(caller, found);
      found.rotateSecret(this.cipher.encrypt(secret, id), now);
      this.repository.save(tx, found);
      this.audit.record(tx, caller, describeAction('rotate_secret', found));
    });
    return { endpoint, secret };
  }

  /**
   * Lets the secret of any endpoint expire, because it has leaked: what the account knows signs for another day, in which
   * it rotates the secret. Nobody sees the secret that signs besides.
   * @param reason why, for the audit log
   * @throws DomainError `forbidden` for all but admins; `unauthorized` without a recent login; `not_found`; `conflict` after
   * too many rotations
   */
  async expire(
    caller: Principal,
    id: string,
    reason: string | null = null,
  ): Promise<Readonly<WebhookEndpoint>> {
    assertAdmin(caller, 'Only admins can let a secret expire. The account itself rotates it.');
    this.recentLogin.assert(caller);
    const change = { items: this.endpoints, id, action: null };
    return this.accounts.change(caller, change, (tx, _account, endpoint, now) => {
      endpoint.expireSecret(this.cipher.encrypt(newSecret(), id), now);
      this.repository.save(tx, endpoint);
      this.audit.record(tx, caller, { ...describeAction('expire_secret', endpoint), reason });
    });
  }
}

const BATCH = 100;

/** Encrypts secrets of endpoints with the current key, after a rotation of the service's secrets. */
@Injectable()
export class EndpointSecretRotation implements PeriodicTask {
  readonly name = 'rotation of webhook secrets';
  readonly intervalMs = MINUTE_MS;

  constructor(
    private readonly database: Database,
    private readonly repository: WebhookEndpointsRepository,
    private readonly cipher: SecretCipher,
  ) {}

  async run(): Promise<boolean> {
    const { previousKeyIds } = this.cipher;
    if (previousKeyIds.length === 0) return false;
    const keys = await this.repository.findEncryptedWith(previousKeyIds, BATCH);
    for (const { accountId, id } of keys) await this.reencrypt(accountId, id);
    return keys.length === BATCH;
  }

  private reencrypt(accountId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx) => {
      const endpoint = await this.repository.lock(tx, accountId, id);
      if (endpoint === null) return;
      endpoint.mapSecrets((encrypted) => this.cipher.reencrypt(encrypted, id));
      this.repository.save(tx, endpoint);
    });
  }
}

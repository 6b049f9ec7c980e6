import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../../../kernel/clock';
import { SecretCipher } from '../../../../platform/config/secret-cipher';
import { Database } from '../../../../platform/database/database';
import { PeriodicTask } from '../../../../platform/jobs/periodic-tasks';
import { WebhookEndpointsRepository } from '../domain/webhook-endpoints.repository';

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

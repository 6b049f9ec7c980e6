import { Injectable } from '@nestjs/common';
import { Clock, MINUTE_MS } from '../../../../kernel/clock';
import { DomainError } from '../../../../kernel/domain-error';
import { Device } from '../../../../platform/audit/audit-trail';
import { Log } from '../../../../platform/telemetry/log';
import { Principal } from '../../../auth';
import { ApiKey } from '../domain/api-key';
import { ApiKeysRepository } from '../domain/api-keys.repository';

/** Uses of one key within this time after a recorded one are not recorded. */
const USE_INTERVAL_MS = MINUTE_MS;

/** Authenticates requests with API keys: one read of the row of the key, and nothing is cached. */
@Injectable()
export class ApiKeyAuthentication {
  /** The keys whose use is being recorded by this process. */
  private readonly recording = new Set<string>();

  constructor(
    private readonly repository: ApiKeysRepository,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Returns the principal of a live key, or null. @throws DomainError `forbidden` from an address that is not allowed */
  async authenticate(hash: string, device: Device): Promise<Principal | null> {
    const key = await this.repository.find(hash);
    const now = this.clock.now();
    if (!key?.isLive(now)) return null;
    if (!key.allows(device.ip)) {
      throw new DomainError(
        'forbidden',
        `This API key may not be used from ${device.ip}. Use it from an address in its allowed_addresses.`,
      );
    }
    this.recordUse(key, now);
    return key.principal(device);
  }

  /** The request does not wait for it, and it locks nothing that a request waits for. */
  private recordUse({ id, lastUsedAt }: ApiKey, now: Date): void {
    const unlessAfter = new Date(now.getTime() - USE_INTERVAL_MS);
    if ((lastUsedAt !== null && lastUsedAt > unlessAfter) || this.recording.has(id)) return;
    this.recording.add(id);
    void this.repository
      .recordUse(id, now, unlessAfter)
      .catch((error: unknown) => this.log.failure('The use of an API key was not recorded', error))
      .finally(() => this.recording.delete(id));
  }
}

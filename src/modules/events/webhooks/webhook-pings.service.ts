import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { FairQueue } from '../../../kernel/fair-queue';
import { newId } from '../../../kernel/ids';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { busy, MAX_WAIT_MS } from '../../../platform/database/waiting';
import { SharedLimit } from '../../../platform/database/shared-limit';
import { EventTypes } from '../../../platform/events/event-types';
import { AccountStore } from '../../accounts';
import { Principal } from '../../auth';
import { ApiVersions } from '../../../platform/versions/api-versions';
import { EventRenderer } from '../log/event';
import { AttemptResult } from './webhook-sender';
import { WebhookAttempts } from './webhook-attempts.service';
import { WebhookEndpoints } from './webhook-endpoints.service';

/** The type of the event that a test sends. It is not stored. */
const PING = 'webhook_endpoint.ping';

/**
 * The tests that this process sends at the same time, those for one network of sign-ups and for one account. A slow
 * endpoint holds a place for 15 seconds, so the shares are small: accounts of a few networks leave places for others.
 */
const PLACES = { all: 256, ofNetwork: 32, ofAccount: 2 };

/** The tests that wait for a place, in turn. */
const MAX_WAITING = 200;

/** Tests endpoints. */
@Injectable()
export class WebhookPings {
  private readonly places = new FairQueue(
    PLACES.all,
    MAX_WAITING,
    () => busy(),
    [PLACES.ofNetwork, PLACES.ofAccount],
    MAX_WAIT_MS,
  );

  constructor(
    private readonly accounts: AccountStore,
    private readonly endpoints: WebhookEndpoints,
    private readonly attempts: WebhookAttempts,
    private readonly eventTypes: EventTypes,
    private readonly versions: ApiVersions,
    private readonly renderer: EventRenderer,
    private readonly limit: SharedLimit,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Sends an event at once, also to a disabled endpoint, and changes nothing.
   * @throws DomainError `not_found`; `forbidden` while the account is suspended; `rate_limited` for too many tests of the
   * account; `unavailable` when it has waited for too long for others, or too many wait
   */
  async ping(caller: Principal, id: string): Promise<AttemptResult> {
    const endpoint = await this.endpoints.get(caller, id);
    const { accountId } = endpoint;
    const waitSeconds = await this.limit.use(accountId);
    if (waitSeconds !== null)
      throw new DomainError('rate_limited', 'Too many tests. Wait and try again.', waitSeconds);
    let createdAt!: Date;
    const change = { items: this.endpoints, id, action: null };
    await this.accounts.change(caller, change, (tx, _account, _endpoint, now) => {
      this.audit.recordByOperator(tx, caller, 'webhook_endpoint.test', endpoint);
      createdAt = now;
    });
    const event = {
      id: newId('evt', createdAt),
      type: PING,
      accountId,
      objectId: id,
      sequence: 1,
      createdAt,
      object: this.eventTypes.get(PING).render(endpoint),
      apiVersion: this.versions.newest.name,
    };
    const body = JSON.stringify(this.renderer.renderIn(endpoint.apiVersion, event));
    return this.places.run([endpoint.signUpNetwork ?? accountId, accountId], () =>
      this.attempts.attempt(endpoint, { id: event.id, body }),
    );
  }
}

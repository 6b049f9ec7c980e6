import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Tx } from '../../../platform/database/database';
import { EventTypes } from '../../../platform/events/event-types';
import { Account } from '../../accounts';
import { ApiKeyCheck, type CallingApiKey, Principal, VerifiedEmails } from '../../auth';
import { endpointUrl } from './endpoint-addresses';
import { WebhookEndpoint } from './webhook-endpoint';
import { WebhookSender } from './webhook-sender';
import { webhooksSettings, WebhooksSettings } from './webhooks.settings';

/** Who may have which events delivered where. */
@Injectable()
export class EndpointRules {
  constructor(
    private readonly eventTypes: EventTypes,
    private readonly sender: WebhookSender,
    @Inject(webhooksSettings.token) private readonly settings: WebhooksSettings,
    private readonly apiKeys: ApiKeyCheck,
    private readonly verifiedEmails: VerifiedEmails,
  ) {}

  /** @returns the URL in its normal form @throws DomainError `invalid_request` */
  checkUrl(url: string): string {
    const checked = endpointUrl(url, this.settings.allowHttp);
    if (!this.sender.refuses(checked)) return checked;
    throw new DomainError('invalid_request', 'url must not have a private or reserved address as its host.');
  }

  /**
   * @returns null for all types; those that an API key reads are listed
   * @throws DomainError `invalid_request` for an unknown type; `forbidden` for one that the API key may not read
   */
  checkTypes({ scopes }: Principal, types: readonly string[] | null): readonly string[] | null {
    if (types?.some((type) => !this.eventTypes.has(type)))
      throw new DomainError(
        'invalid_request',
        'event_types contains an unknown type. The OpenAPI document lists them in its section webhooks.',
      );
    for (const type of types ?? []) this.eventTypes.assertReadableBy({ scopes }, type);
    return types === null && scopes !== null ? this.eventTypes.readableBy({ scopes }) : types;
  }

  /** @throws DomainError `forbidden` for a closed or suspended account, and until its email is verified where it must be */
  async assertMayCreate(tx: Tx, caller: Principal, account: Account, now: Date): Promise<void> {
    account.assertNotSuspended();
    if (account.status === 'closed') throw new DomainError('forbidden', 'The account is closed.');
    await this.verifiedEmails.assertMayGrantAccess(tx, caller, account.id, now);
  }

  /** Locks the API key that calls, so that the endpoint that it creates ends with it. @returns null for a session */
  async lockCreatingKey(tx: Tx, caller: Principal, now: Date): Promise<CallingApiKey | null> {
    return caller.scopes === null ? null : this.apiKeys.lockCalling(tx, caller, now);
  }
}

/** Whether it is not an API key, or it has created the endpoint. */
export function mayUse({ scopes, subjectId }: Principal, { apiKeyId }: Readonly<WebhookEndpoint>): boolean {
  return scopes === null || apiKeyId === subjectId;
}

/** @throws DomainError `forbidden` for an API key that has not created the endpoint */
export function assertMayUse(caller: Principal, endpoint: Readonly<WebhookEndpoint>): void {
  if (!mayUse(caller, endpoint))
    throw new DomainError(
      'forbidden',
      'An API key uses only the webhook endpoints that it has created. Log in for an access token.',
    );
}

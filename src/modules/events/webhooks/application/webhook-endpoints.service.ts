import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../../kernel/domain-error';
import { CursorPage, CursorRequest } from '../../../../kernel/pages';
import { Actor, AuditTrail, systemActor } from '../../../../platform/audit/audit-trail';
import { SecretCipher } from '../../../../platform/config/secret-cipher';
import { Database, IdempotentOperation, StoredResponse } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import { EventTypes } from '../../../../platform/events/event-types';
import { Account, AccountStore, ApiKeys } from '../../../accounts';
import {
  AccountScopedReader,
  assertAdmin,
  isOperator,
  Principal,
  RecentLogin,
  VerifiedEmails,
} from '../../../auth';
import { newSecret } from '../domain/endpoint-secrets';
import { endpointUrl } from '../domain/endpoint-url';
import { WebhookEndpoint } from '../domain/webhook-endpoint';
import { WebhookEndpointFilter, WebhookEndpointsRepository } from '../domain/webhook-endpoints.repository';
import { WebhookSender } from '../domain/webhook-sender';
import { WebhooksSettings } from '../webhooks.settings';

/** The members of a request that creates or changes an endpoint. */
export interface EndpointTerms {
  readonly url?: string;
  readonly event_types?: readonly string[] | null;
  readonly status?: 'enabled' | 'disabled';
}

/** An endpoint with its new secret, which is shown once. */
export interface IssuedSecret {
  readonly endpoint: Readonly<WebhookEndpoint>;
  readonly secret: string;
}

/** Bounds the deliveries of one event. */
const MAX_ENDPOINTS = 20;

/**
 * The webhook endpoints of accounts. Operators see and change those of every account, apart from their secrets. An API key
 * sees, tests and changes only what it created: deliveries, or another URL or secret, would give it what others read.
 */
@Injectable()
export class WebhookEndpoints extends AccountScopedReader<WebhookEndpoint, WebhookEndpointFilter> {
  constructor(
    private readonly database: Database,
    private readonly repository: WebhookEndpointsRepository,
    private readonly accounts: AccountStore,
    private readonly eventTypes: EventTypes,
    private readonly cipher: SecretCipher,
    private readonly audit: AuditTrail,
    private readonly sender: WebhookSender,
    private readonly settings: WebhooksSettings,
    private readonly recentLogin: RecentLogin,
    private readonly apiKeys: ApiKeys,
    private readonly verifiedEmails: VerifiedEmails,
  ) {
    super('whk', 'webhook endpoint', repository);
  }

  /** An API key sees those that it has created. @throws DomainError `invalid_request` */
  override list(
    caller: Principal,
    filter: WebhookEndpointFilter,
    request: CursorRequest,
  ): Promise<CursorPage<Readonly<WebhookEndpoint>>> {
    const own = caller.scopes === null ? filter : { ...filter, apiKeyId: caller.subjectId };
    return super.list(caller, own, request);
  }

  /** @throws DomainError `not_found`; `forbidden` for an API key that has not created the endpoint */
  override async get(caller: Principal, id: string): Promise<Readonly<WebhookEndpoint>> {
    const endpoint = await super.get(caller, id);
    assertMayUse(caller, endpoint);
    return endpoint;
  }

  /**
   * @throws DomainError `invalid_request` for the URL or an unknown event type; `forbidden` without an account, while it
   * is suspended, until its email is verified where that is required, and for an event type that the API key may not read;
   * `conflict` beyond the number of endpoints that an account may have
   */
  create(
    caller: Principal,
    { url, event_types: eventTypes = null }: EndpointTerms & { readonly url: string },
    operation: IdempotentOperation<IssuedSecret>,
  ): Promise<StoredResponse> {
    const accountId = requireAccount(caller);
    const checked = {
      accountId,
      url: this.checkedUrl(url),
      eventTypes: this.checkedTypes(caller, eventTypes),
    };
    return this.database.idempotent(operation, (tx, now) =>
      this.accounts.update(tx, accountId, async (account) => {
        assertOpen(account);
        await this.verifiedEmails.assertMayGrantAccess(tx, caller, accountId, now);
        if ((await this.repository.lockAllOf(tx, accountId)).length >= MAX_ENDPOINTS)
          throw new DomainError('conflict', `An account has at most ${MAX_ENDPOINTS} webhook endpoints.`);
        const secret = newSecret();
        const key = caller.scopes === null ? null : await this.apiKeys.lockCalling(tx, caller, now);
        const terms = { ...checked, signUpNetwork: account.signUpNetwork };
        const endpoint = WebhookEndpoint.create(terms, (id) => this.cipher.encrypt(secret, id), now, key);
        this.repository.add(tx, endpoint);
        account.deliverEvents(true);
        this.record(tx, caller, 'create', endpoint);
        return { endpoint, secret };
      }),
    );
  }

  /**
   * An endpoint that a person changes no longer belongs to the API key that created it.
   * @throws DomainError `not_found`, `forbidden`, `invalid_request`
   */
  async update(caller: Principal, id: string, terms: EndpointTerms): Promise<Readonly<WebhookEndpoint>> {
    const { url, event_types: eventTypes, status } = terms;
    const change = {
      url: url === undefined ? undefined : this.checkedUrl(url),
      eventTypes: eventTypes === undefined ? undefined : this.checkedTypes(caller, eventTypes),
      enabled: status === undefined ? undefined : status === 'enabled',
    };
    if (Object.values(change).every((value) => value === undefined)) return this.get(caller, id);
    return this.accounts.change(caller, { items: this, id, action: null }, (tx, _account, endpoint, now) => {
      assertMayUse(caller, endpoint);
      endpoint.change(change, now);
      if (caller.scopes === null) endpoint.detachApiKey();
      this.repository.save(tx, endpoint);
      this.record(tx, caller, 'update', endpoint, { changed: Object.keys(terms) });
    });
  }

  /** @throws DomainError `not_found`; `forbidden` for operators; `conflict` after too many rotations */
  async rotateSecret(caller: Principal, id: string): Promise<IssuedSecret> {
    const secret = newSecret();
    const change = { items: this, id, action: null };
    const endpoint = await this.accounts.change(caller, change, (tx, _account, found, now) => {
      if (isOperator(caller)) throw new DomainError('forbidden', 'Only the account can rotate its secret.');
      assertMayUse(caller, found);
      found.rotateSecret(this.cipher.encrypt(secret, id), now);
      this.repository.save(tx, found);
      this.record(tx, caller, 'rotate_secret', found);
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
  async expireSecret(
    caller: Principal,
    id: string,
    reason: string | null = null,
  ): Promise<Readonly<WebhookEndpoint>> {
    assertAdmin(caller, 'Only admins can let a secret expire. The account itself rotates it.');
    this.recentLogin.assert(caller);
    const change = { items: this, id, action: null };
    return this.accounts.change(caller, change, (tx, { id: accountId }, endpoint, now) => {
      endpoint.expireSecret(this.cipher.encrypt(newSecret(), id), now);
      this.repository.save(tx, endpoint);
      const action = 'webhook_endpoint.expire_secret';
      this.audit.record(tx, caller, { action, objectId: id, accountId, reason });
    });
  }

  /** @throws DomainError `not_found`, `forbidden` */
  async delete(caller: Principal, id: string): Promise<void> {
    await this.accounts.change(caller, { items: this, id, action: null }, async (tx, account, endpoint) => {
      assertMayUse(caller, endpoint);
      const endpoints = await this.repository.lockAllOf(tx, account.id);
      this.repository.delete(tx, endpoint);
      if (endpoints.length === 1) account.deliverEvents(false);
      this.record(tx, caller, 'delete', endpoint);
    });
  }

  /** Disables the endpoints of an account that is being closed. */
  async disableAllOf(tx: Tx, account: Account, now: Date): Promise<void> {
    for (const endpoint of await this.repository.lockAllOf(tx, account.id)) {
      endpoint.disable('account_closed', now);
      this.repository.save(tx, endpoint);
    }
    account.deliverEvents(false);
  }

  /** Disables the endpoints of an API key that is revoked. `tx` has locked its account. */
  async disableAllOfKey(
    tx: Tx,
    actor: Actor,
    { id, accountId }: { readonly id: string; readonly accountId: string | null },
    now: Date,
  ): Promise<void> {
    const endpoints = accountId === null ? [] : await this.repository.lockAllOf(tx, accountId);
    for (const endpoint of endpoints) if (endpoint.apiKeyId === id) this.endWithKey(tx, actor, endpoint, now);
  }

  /** Disables those of the endpoints whose API keys have expired. */
  disableExpired(accountId: string, ids: readonly string[]): Promise<void> {
    return this.database.transaction(async (tx, now) => {
      for (const endpoint of await this.repository.lockAllOf(tx, accountId))
        if (ids.includes(endpoint.id) && endpoint.hasExpiredKey(now))
          this.endWithKey(tx, systemActor, endpoint, now);
    });
  }

  /** Deletes the endpoints of an account that the owner of its email takes over. */
  async takeOver(tx: Tx, actor: Actor, account: Account): Promise<void> {
    for (const endpoint of await this.repository.lockAllOf(tx, account.id)) {
      this.repository.delete(tx, endpoint);
      this.record(tx, actor, 'delete', endpoint);
    }
    account.deliverEvents(false);
  }

  private endWithKey(tx: Tx, actor: Actor, endpoint: WebhookEndpoint, now: Date): void {
    if (!endpoint.isEnabled) return;
    endpoint.disable('api_key_ended', now);
    this.repository.save(tx, endpoint);
    this.record(tx, actor, 'disable', endpoint, { reason: endpoint.disabledReason });
  }

  private checkedUrl(url: string): string {
    const checked = endpointUrl(url, this.settings.allowHttp);
    if (!this.sender.refuses(checked)) return checked;
    throw new DomainError('invalid_request', 'url must not have a private or reserved address as its host.');
  }

  /** @returns null for all types; those that an API key reads are listed */
  private checkedTypes({ scopes }: Principal, types: readonly string[] | null): readonly string[] | null {
    if (types?.some((type) => !this.eventTypes.has(type)))
      throw new DomainError(
        'invalid_request',
        'event_types contains an unknown type. The OpenAPI document lists them in its section webhooks.',
      );
    for (const type of types ?? []) this.eventTypes.assertReadableWith(scopes, type);
    return types === null && scopes !== null ? this.eventTypes.readableWith(scopes) : types;
  }

  private record(
    tx: Tx,
    actor: Actor,
    verb: string,
    { id: objectId, accountId }: Readonly<WebhookEndpoint>,
    details?: Readonly<Record<string, unknown>>,
  ): void {
    this.audit.record(tx, actor, { action: `webhook_endpoint.${verb}`, objectId, accountId, details });
  }
}

/** @throws DomainError `forbidden` */
function requireAccount({ accountId }: Principal): string {
  if (accountId !== null) return accountId;
  throw new DomainError('forbidden', 'This token belongs to no account, and webhooks are for accounts.');
}

/** @throws DomainError `forbidden` for an API key that has not created the endpoint */
function assertMayUse({ scopes, subjectId }: Principal, { apiKeyId }: Readonly<WebhookEndpoint>): void {
  if (scopes !== null && apiKeyId !== subjectId)
    throw new DomainError(
      'forbidden',
      'An API key uses only the webhook endpoints that it has created. Log in for an access token.',
    );
}

function assertOpen(account: Account): void {
  account.assertNotSuspended();
  if (account.status === 'closed') throw new DomainError('forbidden', 'The account is closed.');
}

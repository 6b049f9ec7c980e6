import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { AuditTrail, changesBetween } from '../../../platform/audit/audit-trail';
import { SecretCipher } from '../../../platform/config/secret-cipher';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { ApiVersions } from '../../../platform/versions/api-versions';
import { AccountStore } from '../../accounts';
import { AccountScopedReader, Principal } from '../../auth';
import { assertMayUse, EndpointRules, mayUse } from './endpoint-rules.service';
import { newSecret } from './endpoint-secrets';
import { describeAction, WebhookEndpoint } from './webhook-endpoint';
import { WebhookEndpointFilter, WebhookEndpointsRepository } from './webhook-endpoints.repository';

/** The members of a request that creates or changes an endpoint. */
export interface EndpointTerms {
  readonly url?: string;
  readonly event_types?: readonly string[] | null;
  readonly status?: 'enabled' | 'disabled';
  readonly version?: string;
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
    private readonly rules: EndpointRules,
    private readonly versions: ApiVersions,
    private readonly cipher: SecretCipher,
    private readonly audit: AuditTrail,
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

  /** An API key finds those that it has created. */
  override async search(
    caller: Principal,
    ...search: [text: string, filters: readonly WebhookEndpointFilter[], limit: number]
  ): Promise<readonly Readonly<WebhookEndpoint>[]> {
    const found = await super.search(caller, ...search);
    return found.filter((endpoint) => mayUse(caller, endpoint));
  }

  /**
   * @throws DomainError `invalid_request` for the URL or an unknown event type; `forbidden` without an account, while it
   * is suspended, until its email is verified where that is required, and for an event type that the API key may not read;
   * `conflict` beyond the number of endpoints that an account may have
   */
  create(
    caller: Principal,
    { url, event_types: eventTypes = null, version }: EndpointTerms & { readonly url: string },
    operation: IdempotentOperation<IssuedSecret>,
  ): Promise<StoredResponse> {
    const accountId = requireAccount(caller);
    const checked = {
      accountId,
      url: this.rules.checkUrl(url),
      eventTypes: this.rules.checkTypes(caller, eventTypes),
      apiVersion: this.versions.choosePin(version, caller),
    };
    return this.database.idempotent(operation, (tx, now) =>
      this.accounts.update(tx, accountId, async (account) => {
        await this.rules.assertMayCreate(tx, caller, account, now);
        if ((await this.repository.lockAllOf(tx, accountId)).length >= MAX_ENDPOINTS)
          throw new DomainError('conflict', `An account has at most ${MAX_ENDPOINTS} webhook endpoints.`);
        const secret = newSecret();
        const key = await this.rules.lockCreatingKey(tx, caller, now);
        const terms = { ...checked, signUpNetwork: account.signUpNetwork };
        const endpoint = WebhookEndpoint.create(terms, (id) => this.cipher.encrypt(secret, id), now, key);
        this.repository.add(tx, endpoint);
        account.deliverEvents(true);
        this.audit.record(tx, caller, describeAction('create', endpoint));
        return { endpoint, secret };
      }),
    );
  }

  /**
   * An endpoint that a person changes no longer belongs to the API key that created it.
   * @throws DomainError `not_found`, `forbidden`, `invalid_request`
   */
  async update(caller: Principal, id: string, terms: EndpointTerms): Promise<Readonly<WebhookEndpoint>> {
    const { url, event_types: eventTypes, status, version } = terms;
    const change = {
      url: url === undefined ? undefined : this.rules.checkUrl(url),
      eventTypes: eventTypes === undefined ? undefined : this.rules.checkTypes(caller, eventTypes),
      enabled: status === undefined ? undefined : status === 'enabled',
      apiVersion: version === undefined ? undefined : this.versions.parse(version, 'version').name,
    };
    if (Object.values(change).every((value) => value === undefined)) return this.get(caller, id);
    return this.accounts.change(caller, { items: this, id, action: null }, (tx, _account, endpoint, now) => {
      assertMayUse(caller, endpoint);
      const before = endpoint.audited();
      endpoint.change(change, now);
      if (caller.scopes === null) endpoint.detachApiKey();
      this.repository.save(tx, endpoint);
      const changed = Object.keys(terms);
      const changes = changesBetween(before, endpoint.audited());
      this.audit.record(tx, caller, { ...describeAction('update', endpoint, { changed }), changes });
    });
  }

  /** @throws DomainError `not_found`, `forbidden` */
  async delete(caller: Principal, id: string): Promise<void> {
    await this.accounts.change(caller, { items: this, id, action: null }, async (tx, account, endpoint) => {
      assertMayUse(caller, endpoint);
      const endpoints = await this.repository.lockAllOf(tx, account.id);
      this.repository.delete(tx, endpoint);
      if (endpoints.length === 1) account.deliverEvents(false);
      this.audit.record(tx, caller, describeAction('delete', endpoint));
    });
  }
}

/** @throws DomainError `forbidden` */
function requireAccount({ accountId }: Principal): string {
  if (accountId !== null) return accountId;
  throw new DomainError('forbidden', 'This token belongs to no account, and webhooks are for accounts.');
}

import { CursorListQuery, FormatParam, ListFormat } from '../../../platform/http/list-query';
import {
  EnumField,
  field,
  FieldOptions,
  ReasonField,
  StringField,
  VersionField,
} from '../../../platform/http/request-fields';
import {
  CursorListResponse,
  countSchema,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
  VersionResponseField,
} from '../../../platform/http/response-fields';
import { IssuedSecret } from './webhook-endpoints.service';
import { AttemptResult, DeliveryError, deliveryErrors } from './webhook-sender';
import { MAX_URL_CHARACTERS } from './endpoint-addresses';
import { DisabledReason, disabledReasons } from './disabled-endpoints';
import { endpointStates, EndpointState, WebhookEndpoint } from './webhook-endpoint';

const URL_EXAMPLE = 'https://example.com/webhooks';
const EVENT_TYPE_EXAMPLE = 'transaction.succeeded';
const MAX_EVENT_TYPES = 100;
const statuses = ['enabled', 'disabled'] as const;
nameEnum('WebhookStatus', statuses);
nameEnum('WebhookState', endpointStates);

const UrlField = (options?: FieldOptions) =>
  StringField(1, MAX_URL_CHARACTERS, URL_EXAMPLE, {
    ...options,
    description:
      'An https URL that the internet can reach, without a user name, a password and a fragment. Outside production, http and private addresses work too.',
  });

const EventTypesField = () =>
  field(
    {
      expected: 'null or a list of 1 to 100 different event types',
      isValid: (value) =>
        Array.isArray(value) &&
        value.length >= 1 &&
        value.length <= MAX_EVENT_TYPES &&
        value.every((type) => typeof type === 'string') &&
        new Set(value).size === value.length,
      schema: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: MAX_EVENT_TYPES,
        uniqueItems: true,
        example: [EVENT_TYPE_EXAMPLE],
      },
    },
    {
      optional: true,
      nullable: true,
      description:
        'Only events of these types are delivered; null or absent for all. An API key needs the scope that reads what they show, and without the member gets the types that it may read.',
    },
  );

const EndpointVersionField = () =>
  VersionField({
    optional: true,
    inExample: false,
    description:
      'The version of the API in which events are delivered; at first that of the account or the API key.',
  });

export class CreateWebhookRequest {
  @UrlField() url: string;
  @EventTypesField() event_types?: string[] | null;
  @EndpointVersionField() version?: string;
}

export class UpdateWebhookRequest {
  @UrlField({ optional: true }) url?: string;
  @EventTypesField() event_types?: string[] | null;
  @EndpointVersionField() version?: string;

  @EnumField(statuses, {
    optional: true,
    description:
      'A disabled endpoint gets no events. What is pending then fails, and can be sent again later.',
  })
  status?: (typeof statuses)[number];
}

export class ExpireWebhookSecretRequest {
  @ReasonField() reason?: string;
}

export class ListWebhooksQuery extends CursorListQuery('whk', 'webhook endpoints', {}) {
  @EnumField(endpointStates, {
    optional: true,
    description:
      'Only webhook endpoints with this status. `failing` are enabled ones whose every attempt fails; `disabled` are those of open accounts.',
  })
  status?: EndpointState;

  @FormatParam() format?: ListFormat;
}

export class WebhookResponse {
  @IdResponseField('whk') id: string;
  @IdResponseField('acc') account_id: string;

  @IdResponseField('key', {
    nullable: true,
    description:
      'The API key that created it and with which it ends. Null if a person created or changed it.',
  })
  api_key_id: string | null;

  @ResponseField({ format: 'uri', example: URL_EXAMPLE }) url: string;

  @ResponseField({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    example: [EVENT_TYPE_EXAMPLE],
    description: 'The types of the events that are delivered; null for all.',
  })
  event_types: readonly string[] | null;

  @VersionResponseField('The version of the API in which events are delivered.') version: string;
  @ResponseField({ enum: statuses }) status: (typeof statuses)[number];

  @ResponseField({
    nullable: true,
    example: 'failing',
    description: `Why it is disabled, or null: ${disabledReasons.join(', ')}; more may be added. \`gone\`: it responded with 410. \`failing\`: every attempt of three days failed. \`api_key_ended\`: the API key that created it was revoked or has expired.`,
  })
  disabled_reason: DisabledReason | null;

  @Timestamp('Since when every attempt has failed; null after one that succeeded.', { nullable: true })
  failing_since: string | null;

  @Timestamp(
    'Until when deliveries are signed with a secret that the account knows, if an admin lets it expire: rotate the secret before. Null otherwise.',
    { nullable: true, example: null },
  )
  secret_expires_at: string | null;

  @Timestamp() created_at: string;
  @Timestamp() updated_at: string;
}

export class WebhookWithSecretResponse extends WebhookResponse {
  @ResponseField({
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0Zk6nNYpOuc=',
    description: 'The secret with which deliveries are signed. It is not shown again.',
  })
  secret: string;
}

export class AttemptResponse {
  @ResponseField({
    nullable: true,
    example: 'timeout',
    description: `What went wrong in the last attempt; null if nothing did. One of ${deliveryErrors.join(', ')}; more may be added.`,
  })
  error: DeliveryError | null;

  @ResponseField({
    ...countSchema,
    nullable: true,
    example: 200,
    description: 'The status of the last response; null without a response.',
  })
  response_status: number | null;

  @ResponseField({
    nullable: true,
    example: 'OK',
    description: 'The first characters of the last response, at most 1,000; null without a response.',
  })
  response_body: string | null;

  @ResponseField({
    ...countSchema,
    nullable: true,
    example: 84,
    description: 'The duration of the last attempt.',
  })
  duration_ms: number | null;
}

export class WebhookTestResponse extends AttemptResponse {
  @ResponseField({ type: 'boolean', example: true, description: 'Whether the endpoint responded with 2xx.' })
  delivered: boolean;
}

export class WebhooksResponse extends CursorListResponse(WebhookResponse) {}

export function webhookResponse(endpoint: Readonly<WebhookEndpoint>): WebhookResponse {
  return {
    id: endpoint.id,
    account_id: endpoint.accountId,
    api_key_id: endpoint.apiKeyId,
    url: endpoint.url,
    event_types: endpoint.eventTypes,
    version: endpoint.apiVersion,
    status: endpoint.isEnabled ? 'enabled' : 'disabled',
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince?.toISOString() ?? null,
    secret_expires_at: endpoint.secretExpiresAt,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

export function webhookWithSecretResponse({ endpoint, secret }: IssuedSecret): WebhookWithSecretResponse {
  return { ...webhookResponse(endpoint), secret };
}

export function attemptResponse(result: {
  readonly [Member in keyof AttemptResult]: AttemptResult[Member] | null;
}): AttemptResponse {
  const { error, responseStatus, responseBody, durationMs } = result;
  return { error, response_status: responseStatus, response_body: responseBody, duration_ms: durationMs };
}

export function webhookTestResponse(result: AttemptResult): WebhookTestResponse {
  return { delivered: result.error === null, ...attemptResponse(result) };
}

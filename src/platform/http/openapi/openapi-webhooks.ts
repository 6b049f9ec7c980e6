import type { OpenAPIObject } from '@nestjs/swagger';
import type { EventType } from '../../events/event-types';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type ObjectSchema = Exclude<Schemas[string], { $ref: string }>;

/** The schema of all events, which the events module declares. */
const EVENT = 'EventResponse';

const headers = {
  'webhook-id': 'The id of the event. A repeat has the same one.',
  'webhook-timestamp': 'When the request was sent, in seconds since 1970.',
  'webhook-signature': 'The signatures of the request, separated by spaces, as Standard Webhooks specifies.',
};

/** The requests that webhook endpoints receive: one for each type of event. */
export function describeWebhooks(types: readonly EventType[], schemas: Schemas): object {
  const event = schemas[EVENT] as ObjectSchema;
  return Object.fromEntries(types.map((type) => [type.name, { post: describeWebhook(type, event) }]));
}

function describeWebhook({ name, description, response }: EventType, event: ObjectSchema): object {
  const object = { $ref: `#/components/schemas/${response.name}` };
  const schema = {
    ...event,
    properties: {
      ...event.properties,
      type: { type: 'string', enum: [name] },
      data: { type: 'object', required: ['object'], properties: { object } },
    },
  };
  return {
    operationId: `${camelCase(name)}Webhook`,
    summary: description,
    tags: ['Webhooks'],
    security: [],
    parameters: Object.entries(headers).map(([header, about]) => ({
      name: header,
      in: 'header',
      required: true,
      description: about,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { description: 'The event is received. Any other response is repeated later.' },
      410: { description: 'The endpoint no longer exists, and is disabled.' },
    },
  };
}

function camelCase(name: string): string {
  return name.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}

import type { OpenAPIObject } from '@nestjs/swagger';
import type { EventType } from '../../events/event-types';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Schemas[string];
type ObjectSchema = Exclude<Schema, { $ref: string }>;

/** The schema of all events, and that of their data, which the events module declares. */
const EVENT = 'EventResponse';
const DATA = 'EventData';

const headers = {
  'webhook-id': 'The id of the event. A repeat has the same one.',
  'webhook-timestamp': 'When the request was sent, in seconds since 1970.',
  'webhook-signature': 'The signatures of the request, separated by spaces, as Standard Webhooks specifies.',
};

/** The requests that webhook endpoints receive: one for each type of event. They refer to the schemas of the events. */
export function describeWebhooks(types: readonly EventType[]): object {
  return Object.fromEntries(types.map((type) => [type.name, { post: describeWebhook(type) }]));
}

function describeWebhook({ name, description }: EventType): object {
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
    requestBody: { required: true, content: { 'application/json': { schema: referTo(schemaName(name)) } } },
    responses: {
      '2XX': { description: 'The event is received. Any other response is repeated later.' },
      410: { description: 'The endpoint no longer exists, and is disabled.' },
    },
  };
}

/** Turns the schema of all events into the choice of one schema for each type, which says what its object is. */
export function describeEvents(types: readonly EventType[], schemas: Schemas): void {
  const event = schemas[EVENT] as ObjectSchema;
  const data = schemas[DATA] as ObjectSchema;
  for (const type of types) schemas[schemaName(type.name)] = describeEvent(type, event, data);
  const references = types.map(({ name }) => [name, referTo(schemaName(name))] as const);
  schemas[EVENT] = {
    oneOf: references.map(([, reference]) => reference),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(references.map(([name, { $ref }]) => [name, $ref])),
    },
  };
  Reflect.deleteProperty(schemas, DATA);
}

function describeEvent({ name, response }: EventType, event: ObjectSchema, data: ObjectSchema): Schema {
  const { description } = data.properties!['object'] as ObjectSchema;
  return {
    ...event,
    properties: {
      ...event.properties,
      type: { type: 'string', enum: [name], example: name },
      data: { ...data, properties: { object: { ...referTo(response.name), description } as Schema } },
    },
  };
}

function referTo(schema: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${schema}` };
}

/** @returns for example `TransactionSucceededEvent` */
function schemaName(type: string): string {
  const [first = '', ...rest] = camelCase(type);
  return `${first.toUpperCase()}${rest.join('')}Event`;
}

function camelCase(name: string): string {
  return name.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
}

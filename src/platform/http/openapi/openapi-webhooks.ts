import type { EventType } from '../../events/event-types';
import { exampleOf, type ObjectSchema, resolve, type Schema, type Schemas } from './openapi-examples';

/** The schema of all events, and that of their data, which the events module declares. */
const EVENT = 'EventResponse';
const DATA = 'EventData';

const headers = {
  'webhook-id': 'The id of the event. A repeat has the same one.',
  'webhook-timestamp': 'When the request was sent, in seconds since 1970.',
  'webhook-signature': 'The signatures of the request, separated by spaces, as Standard Webhooks specifies.',
};

/** The requests that webhook endpoints receive: one for each type of event. They refer to the schemas of the events. */
export function describeWebhooks(types: readonly EventType[], schemas: Schemas): object {
  return Object.fromEntries(types.map((type) => [type.name, { post: describeWebhook(type, schemas) }]));
}

function describeWebhook(type: EventType, schemas: Schemas): object {
  const { name, description } = type;
  const content = { schema: referTo(schemaName(name)), example: createExample(type, schemas) };
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
    requestBody: { required: true, content: { 'application/json': content } },
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
  const shown = types.find(({ name }) => name === (event.properties!['type'] as ObjectSchema).example);
  schemas[EVENT] = {
    ...(shown && { example: createExample(shown, schemas) }),
    oneOf: references.map(([, reference]) => reference),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(references.map(([name, { $ref }]) => [name, $ref])),
    },
  };
  Reflect.deleteProperty(schemas, DATA);
}

function describeEvent(
  { name, response, operatorsOnly }: EventType,
  event: ObjectSchema,
  data: ObjectSchema,
): Schema {
  const { description } = data.properties!['object'] as ObjectSchema;
  const account = event.properties!['account_id'];
  return {
    ...event,
    properties: {
      ...event.properties,
      type: { type: 'string', enum: [name], example: name },
      ...(operatorsOnly && { account_id: { ...account, example: null } as Schema }),
      data: { ...data, properties: { object: { ...referTo(response.name), description } as Schema } },
    },
  };
}

/** Returns an event of the type, with the resource as it is right afterwards. */
function createExample({ name, action, isFirst, response, example }: EventType, schemas: Schemas): object {
  const whole = exampleOf(schemas[schemaName(name)]!, schemas, (_, isRequired) => isRequired) as {
    readonly sequence: number;
    readonly data: { readonly object: { readonly id: string } };
  };
  const { properties = {} } = resolve(referTo(response.name), schemas);
  const statuses = properties['status'] ? resolve(properties['status'], schemas).enum : [];
  const object = { ...whole.data.object, ...(statuses?.includes(action) && { status: action }), ...example };
  return { ...whole, object_id: object.id, sequence: isFirst ? 1 : whole.sequence, data: { object } };
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

import type { webhooks } from './generated/schema.js';

/** The types that the service documents. Later versions and extensions may add further ones. */
export type EventType = keyof webhooks;

/** An event of any type, or of these types: `event.type` tells what `event.data.object` is. */
export type CountinghouseEvent<Type extends EventType = EventType> = {
  [Name in Type]: webhooks[Name]['post']['requestBody']['content']['application/json'];
}[Type];
